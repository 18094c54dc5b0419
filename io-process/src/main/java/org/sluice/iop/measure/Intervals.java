package org.sluice.iop.measure;

import java.util.Map;
import java.util.TreeMap;

/**
 * A union of intervals of time. So that its memory is bounded, only the latest stay as they are: of
 * the older ones the sum is kept, and what is added later that lies before their end is left out.
 * Not thread-safe.
 */
public final class Intervals {
  private static final int MOST = 64;

  private final TreeMap<Long, Long> endsByStart = new TreeMap<>();
  private long olderNanos;
  private long olderEnd = Long.MIN_VALUE;

  /** Nothing yet. */
  public Intervals() {}

  /**
   * Adds an interval.
   *
   * @param start nanoseconds
   * @param end nanoseconds, not before {@code start}
   */
  public void add(final long start, final long end) {
    if (end < olderEnd) {
      return;
    }
    long from = Math.max(start, olderEnd);
    long to = end;
    Map.Entry<Long, Long> before = endsByStart.floorEntry(to);
    while (before != null && before.getValue() >= from) {
      from = Math.min(from, before.getKey());
      to = Math.max(to, before.getValue());
      endsByStart.remove(before.getKey());
      before = endsByStart.floorEntry(to);
    }
    endsByStart.put(from, to);
    if (endsByStart.size() > MOST) {
      final Map.Entry<Long, Long> oldest = endsByStart.pollFirstEntry();
      olderNanos += oldest.getValue() - oldest.getKey();
      olderEnd = oldest.getValue();
    }
  }

  /**
   * Adds all intervals of another union.
   *
   * @param other stays as it is
   */
  public void addAll(final Intervals other) {
    olderNanos += other.olderNanos;
    other.endsByStart.forEach(this::add);
  }

  /**
   * The time in the union.
   *
   * @return seconds
   */
  public double seconds() {
    final long latest =
        endsByStart.entrySet().stream().mapToLong(e -> e.getValue() - e.getKey()).sum();
    return (olderNanos + latest) / 1e9;
  }
}
