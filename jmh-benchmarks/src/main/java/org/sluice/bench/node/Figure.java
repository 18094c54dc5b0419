package org.sluice.bench.node;

import java.util.EnumSet;
import java.util.List;

/** What is known of a series, each as one column of a table and one member of its JSON. */
enum Figure {
  /** From the first write to the last close. */
  RETURN("return_ms"),
  /** How long the slowest process was in its own calls. */
  LONGEST("longest_ms"),
  /** From the first write until all is on stable storage. */
  DURABLE("durable_ms"),
  /** From the first open to the first write. */
  OPEN("open_ms"),
  /** How long ranks waited for chunks, all together. */
  WAITED("wait_ms"),
  /** Processor time of the ranks, without syncing. */
  RANKS_CPU("ranks_s"),
  /** Processor time of the I/O process until all is on stable storage. */
  IOP_CPU("iop_s"),
  /** Bytes that went direct, of all. */
  DIRECT("direct_percent"),
  /** What was in the buffer at the last close. */
  BUFFERED("buffered_mb"),
  /** The most that the I/O process ever had mapped and touched, the segment included. */
  PEAK_MEMORY("peak_mb"),
  /** Its own memory after the last round. */
  OWN_MEMORY("own_mb"),
  /** The live part of its heap, which is some of that. */
  HEAP("heap_mb"),
  /** What it has of the segment in huge pages. */
  HUGE_MEMORY("huge_mb"),
  /** System calls of all ranks in one checkpoint. */
  SYSTEM_CALLS("system_calls");

  /** How long something takes; with the spread of the rounds. */
  static final List<Figure> TIMES = List.copyOf(EnumSet.range(RETURN, WAITED));

  /** What it needs. */
  static final List<Figure> NEEDS = List.copyOf(EnumSet.range(RANKS_CPU, SYSTEM_CALLS));

  private final String key;

  Figure(final String key) {
    this.key = key;
  }

  /** Its name in JSON, with its unit. */
  String key() {
    return key;
  }

  String heading() {
    return key.replace('_', ' ').replace("percent", "%").replace("mb", "MB");
  }
}
