package org.sluice.iop.measure;

import java.util.HashMap;
import java.util.Map;

/** When which processes had an image open, by the monotonic clock. Not thread-safe. */
public final class OpenTimes {
  private final Map<Long, Intervals> byProcess = new HashMap<>();
  private long first = Long.MAX_VALUE;

  /** The times of an image that was never open. */
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
   * When a process first opened the image.
   *
   * @return nanoseconds; {@link Long#MAX_VALUE} when never
   */
  public long first() {
    return first;
  }

  /**
   * Adds the openings to those of other images.
   *
   * @param total by process
   */
  public void addTo(final Map<Long, Intervals> total) {
    byProcess.forEach(
        (process, intervals) ->
            total.computeIfAbsent(process, any -> new Intervals()).addAll(intervals));
  }

  /**
   * How long the slowest process had files open.
   *
   * @param byProcess intervals by process
   * @return seconds
   */
  public static double slowest(final Map<Long, Intervals> byProcess) {
    return byProcess.values().stream().mapToDouble(Intervals::seconds).max().orElse(0);
  }
}
