package org.sluice.profile.trace;

import java.io.IOException;
import java.util.NavigableSet;
import java.util.TreeMap;

/** Who wrote in a trace, or on one node of it, how much, from when to when, how far. */
public final class Survey {
  private final TreeMap<TracedProcess, Long> nanos = new TreeMap<>();
  private long from = Long.MAX_VALUE;
  private long to = Long.MIN_VALUE;
  private long farthest;
  private final Tally tally = new Tally();

  /** Nothing yet. */
  public Survey() {}

  /**
   * Reads a trace once.
   *
   * @param trace the trace
   * @return what it has
   * @throws IOException when it cannot be read
   */
  public static Survey of(final Trace trace) throws IOException {
    final Survey survey = new Survey();
    trace.read(survey::add);
    return survey;
  }

  /**
   * Adds a write.
   *
   * @param write one more
   */
  public void add(final Write write) {
    nanos.merge(write.origin(), write.duration(), Long::sum);
    from = Math.min(from, write.time());
    to = Math.max(to, write.endTime());
    farthest = Math.max(farthest, write.endOffset());
    tally.add(write);
  }

  /**
   * Whether nothing was written.
   *
   * @return true without a write
   */
  public boolean isEmpty() {
    return tally.writes() == 0;
  }

  /**
   * Who wrote.
   *
   * @return the processes in their order
   */
  public NavigableSet<TracedProcess> origins() {
    return nanos.navigableKeySet();
  }

  /**
   * When the first write began.
   *
   * @return nanoseconds since the epoch
   */
  public long from() {
    return from;
  }

  /**
   * When the last write ended.
   *
   * @return nanoseconds since the epoch, at least one after the first began
   */
  public long to() {
    return Math.max(to, from + 1);
  }

  /**
   * How far it goes in any file.
   *
   * @return the highest offset that was written to, plus 1
   */
  public long farthest() {
    return farthest;
  }

  /**
   * The writes of all processes.
   *
   * @return their tally
   */
  public Tally tally() {
    return tally;
  }

  /**
   * From the first write to the end of the last.
   *
   * @return seconds
   */
  public double spanSeconds() {
    return (to - from) / 1e9;
  }

  /**
   * How long the process was in its writes that was longest.
   *
   * @return nanoseconds
   */
  public long slowestNanos() {
    return nanos.values().stream().mapToLong(Long::longValue).max().orElse(0);
  }
}
