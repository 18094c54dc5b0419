package org.sluice.bench.node;

import java.util.EnumSet;
import java.util.List;

/** The figures of a series, each as a column of a table and a member of its JSON. */
enum Figure {
  /** The time from the first write to the last close. */
  RETURN("return_ms"),
  /** The time that the slowest process spent in its own calls. */
  LONGEST("longest_ms"),
  /** The time from the first write until all is on stable storage. */
  DURABLE("durable_ms"),
  /** The time from the first open to the first write. */
  OPEN("open_ms"),
  /** The time that ranks waited for chunks, all together. */
  WAITED("wait_ms"),
  /** The time that the slowest process took to open a file in its first checkpoint. */
  FIRST_OPEN("first_open_ms"),
  /** The time from the first open to the last close of the first checkpoint of processes. */
  FIRST_RETURN("first_return_ms"),
  /** The time from the first open of the first checkpoint until it is on stable storage. */
  FIRST_DURABLE("first_durable_ms"),
  /** The median of the same times to return of the checkpoints that follow. */
  LATER_RETURN("later_return_ms"),
  /** The median of the same times until they are on stable storage. */
  LATER_DURABLE("later_durable_ms"),
  /** The processor time of the ranks, without syncing. */
  RANKS_CPU("ranks_s"),
  /** The processor time of the I/O process until all is on stable storage. */
  IOP_CPU("iop_s"),
  /** The share of bytes that went direct. */
  DIRECT("direct_percent"),
  /** The bytes in the buffer at the last close. */
  BUFFERED("buffered_mb"),
  /** The most memory that the I/O process ever had mapped and touched, the segment included. */
  PEAK_MEMORY("peak_mb"),
  /** The I/O process's own memory after the last round. */
  OWN_MEMORY("own_mb"),
  /** The live part of the I/O process's heap, which is a part of its own memory. */
  HEAP("heap_mb"),
  /** The part of the segment that the I/O process has in huge pages. */
  HUGE_MEMORY("huge_mb"),
  /** The number of system calls of all ranks in one checkpoint. */
  SYSTEM_CALLS("system_calls");

  /** The figures of time, printed with the spread of the rounds. */
  static final List<Figure> TIMES = List.copyOf(EnumSet.range(RETURN, LATER_DURABLE));

  static final List<Figure> NEEDS = List.copyOf(EnumSet.range(RANKS_CPU, SYSTEM_CALLS));

  private final String key;

  Figure(final String key) {
    this.key = key;
  }

  /** Returns the name in JSON, with its unit. */
  String key() {
    return key;
  }

  String heading() {
    return key.replace('_', ' ').replace("percent", "%").replace("mb", "MB");
  }
}
