package org.sluice.iop.measure;

import java.util.Map;
import java.util.TreeMap;

/** A union of intervals of time. Not thread-safe. */
public final class Intervals {
  private final TreeMap<Long, Long> endsByStart = new TreeMap<>();

  /** Nothing yet. */
  public Intervals() {}

  /**
   * Adds an interval.
   *
   * @param start nanoseconds
   * @param end nanoseconds, not before {@code start}
   */
  public void add(final long start, final long end) {
    long from = start;
    long to = end;
    Map.Entry<Long, Long> before = endsByStart.floorEntry(to);
    while (before != null && before.getValue() >= from) {
      from = Math.min(from, before.getKey());
      to = Math.max(to, before.getValue());
      endsByStart.remove(before.getKey());
      before = endsByStart.floorEntry(to);
    }
    endsByStart.put(from, to);
  }

  /**
   * Adds all intervals of another union.
   *
   * @param other stays as it is
   */
  public void addAll(final Intervals other) {
    other.endsByStart.forEach(this::add);
  }

  /**
   * The time in the union.
   *
   * @return seconds
   */
  public double seconds() {
    return endsByStart.entrySet().stream().mapToLong(e -> e.getValue() - e.getKey()).sum() / 1e9;
  }
}
