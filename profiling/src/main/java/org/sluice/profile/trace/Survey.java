package org.sluice.profile.trace;

import java.io.IOException;
import java.util.NavigableSet;
import java.util.TreeMap;

/**
 * The totals of a trace, or of one node in it: processes, bytes, the time span, and the highest
 * offset.
 */
public final class Survey {
  private final TreeMap<TracedProcess, Long> nanos = new TreeMap<>();
  private long from = Long.MAX_VALUE;
  private long to = Long.MIN_VALUE;
  private long farthest;
  private final Tally tally = new Tally();

  public static Survey of(final Trace trace) throws IOException {
    final Survey survey = new Survey();
    trace.read(survey::add);
    return survey;
  }

  public void add(final Write write) {
    nanos.merge(write.origin(), write.time().duration(), Long::sum);
    from = Math.min(from, write.time().begin());
    to = Math.max(to, write.time().end());
    farthest = Math.max(farthest, write.endOffset());
    tally.add(write);
  }

  public boolean isEmpty() {
    return tally.writes() == 0;
  }

  public NavigableSet<TracedProcess> origins() {
    return nanos.navigableKeySet();
  }

  /** Returns the begin of the first write, in nanoseconds since the epoch. */
  public long from() {
    return from;
  }

  /**
   * Returns the end of the last write, in nanoseconds since the epoch; at least 1 after {@link
   * #from}.
   */
  public long to() {
    return Math.max(to, from + 1);
  }

  /** Returns the highest offset written to in any file, plus 1. */
  public long farthest() {
    return farthest;
  }

  public Tally tally() {
    return tally;
  }

  /** Returns the time from the begin of the first write to the end of the last. */
  public double spanSeconds() {
    return (to - from) / 1e9;
  }

  /** Returns the longest time that a process spent in its writes, in nanoseconds. */
  public long slowestNanos() {
    return nanos.values().stream().mapToLong(Long::longValue).max().orElse(0);
  }
}
