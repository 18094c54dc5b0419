package org.sluice.iop.measure;

import java.util.Map;
import java.util.TreeMap;

/**
 * A union of intervals of time. Its memory is bounded: only the latest intervals stay, and of the
 * older ones the sum. An interval added later that ends before these is left out. Not thread-safe.
 */
final class Intervals {
  private static final int MOST = 64;
  private static final Sum NOTHING = new Sum(0, Long.MAX_VALUE, Long.MIN_VALUE);

  private final TreeMap<Long, Long> endsByStart = new TreeMap<>();
  private Sum older = NOTHING;

  /** The end of the time that is summed up, in nanoseconds. */
  private long olderEnd = Long.MIN_VALUE;

  /** The sum of disjoint intervals, all of them between two times. */
  private record Sum(long nanos, long start, long end) {
    Sum and(final long from, final long to) {
      return new Sum(nanos + to - from, Math.min(start, from), Math.max(end, to));
    }

    /** The true overlap is unknown: the largest possible one counts once. */
    Sum and(final Sum other) {
      final long common = Math.max(0, Math.min(end, other.end) - Math.max(start, other.start));
      return new Sum(
          nanos + other.nanos - Math.min(common, Math.min(nanos, other.nanos)),
          Math.min(start, other.start),
          Math.max(end, other.end));
    }
  }

  /**
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
      sumUpTo(endsByStart.firstEntry().getValue());
    }
  }

  private void sumUpTo(final long time) {
    while (!endsByStart.isEmpty() && endsByStart.firstKey() < time) {
      final Map.Entry<Long, Long> oldest = endsByStart.pollFirstEntry();
      final long end = Math.min(oldest.getValue(), time);
      if (end < oldest.getValue()) {
        endsByStart.put(end, oldest.getValue());
      }
      older = older.and(oldest.getKey(), end);
    }
    olderEnd = Math.max(olderEnd, time);
  }

  public void addAll(final Intervals other) {
    final Intervals added = new Intervals();
    added.endsByStart.putAll(other.endsByStart);
    added.older = other.older;
    final long time = Math.max(olderEnd, other.olderEnd);
    sumUpTo(time);
    added.sumUpTo(time);
    older = older.and(added.older);
    added.endsByStart.forEach(this::add);
  }

  /** Returns the length of the union in seconds. */
  public double seconds() {
    final long latest =
        endsByStart.entrySet().stream().mapToLong(e -> e.getValue() - e.getKey()).sum();
    return (older.nanos + latest) / 1e9;
  }
}
