package org.sluice.iop.measure;

import java.util.HashMap;
import java.util.Map;

/** When which processes had images open, by the monotonic clock. Not thread-safe. */
public final class OpenTimes {
  private final Map<Long, Intervals> byProcess = new HashMap<>();
  private long first = Long.MAX_VALUE;

  /** No times. */
  public OpenTimes() {}

  /**
   * Adds an opening.
   *
   * @param process tells processes apart
   * @param opened nanoseconds
   * @param closed nanoseconds, not before {@code opened}
   */
  public void add(final long process, final long opened, final long closed) {
    byProcess.computeIfAbsent(process, any -> new Intervals()).add(opened, closed);
    first = Math.min(first, opened);
  }

  /**
   * When a process first opened one.
   *
   * @return nanoseconds; {@link Long#MAX_VALUE} when never
   */
  public long first() {
    return first;
  }

  /**
   * Adds the openings of another image.
   *
   * @param other stay as they are
   */
  public void add(final OpenTimes other) {
    other.byProcess.forEach(
        (process, intervals) ->
            byProcess.computeIfAbsent(process, any -> new Intervals()).addAll(intervals));
    first = Math.min(first, other.first);
  }

  /**
   * Forgets a process that opens nothing any more.
   *
   * @param process as it was added
   */
  void remove(final long process) {
    byProcess.remove(process);
  }

  /**
   * How long the slowest process had files open.
   *
   * @return seconds
   */
  public double slowest() {
    return byProcess.values().stream().mapToDouble(Intervals::seconds).max().orElse(0);
  }
}
