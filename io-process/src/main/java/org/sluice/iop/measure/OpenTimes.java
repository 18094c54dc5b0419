package org.sluice.iop.measure;

import java.util.HashMap;
import java.util.Map;

/**
 * The times at which processes had images open, by the monotonic clock. A single opening, as most
 * images have, needs no maps. Not thread-safe.
 */
public final class OpenTimes {
  /** The openings by process; null while there is at most one opening. */
  private Map<Long, Intervals> byProcess;

  private long first = Long.MAX_VALUE;
  private long only;
  private long closed;

  /**
   * @param begin nanoseconds
   * @param end nanoseconds, not before {@code begin}
   */
  public void add(final long process, final long begin, final long end) {
    if (byProcess == null && isEmpty()) {
      only = process;
      first = begin;
      closed = end;
    } else {
      of(process).add(begin, end);
      first = Math.min(first, begin);
    }
  }

  private boolean isEmpty() {
    return first == Long.MAX_VALUE;
  }

  private Intervals of(final long process) {
    if (byProcess == null) {
      byProcess = new HashMap<>();
      if (!isEmpty()) {
        of(only).add(first, closed);
      }
    }
    return byProcess.computeIfAbsent(process, any -> new Intervals());
  }

  /** Returns the time of the first opening in nanoseconds; {@link Long#MAX_VALUE} when never. */
  public long first() {
    return first;
  }

  public void add(final OpenTimes other) {
    if (other.byProcess != null) {
      other.byProcess.forEach((process, intervals) -> of(process).addAll(intervals));
      first = Math.min(first, other.first);
    } else if (!other.isEmpty()) {
      add(other.only, other.first, other.closed);
    }
  }

  /** Forgets a process that opens no more images. */
  void remove(final long process) {
    of(process);
    byProcess.remove(process);
  }

  /** Returns how long the slowest process had files open, in seconds. */
  public double slowest() {
    if (byProcess == null) {
      return isEmpty() ? 0 : (closed - first) / 1e9;
    }
    return byProcess.values().stream().mapToDouble(Intervals::seconds).max().orElse(0);
  }
}
