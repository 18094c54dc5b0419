package org.sluice.core.store.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.sluice.core.posix.Extent;

/** A set of offsets that only grows. Not thread-safe. */
public final class RangeSet {
  /** The disjoint ranges, which do not touch: end by beginning. */
  private final TreeMap<Long, Long> ends = new TreeMap<>();

  /** Adds a range, and returns the parts of it that were missing, ascending. */
  public List<Extent> add(final long from, final long to) {
    final List<Extent> gaps = new ArrayList<>(1);
    if (from >= to) {
      return gaps;
    }
    long begin = from;
    long missing = from;
    final Map.Entry<Long, Long> before = ends.floorEntry(from);
    if (before != null && before.getValue() >= from) {
      begin = before.getKey();
      missing = before.getValue();
    }
    Map.Entry<Long, Long> after = ends.higherEntry(begin);
    while (after != null && after.getKey() <= to) {
      if (missing < after.getKey()) {
        gaps.add(new Extent(missing, after.getKey() - missing));
      }
      missing = after.getValue();
      ends.remove(after.getKey());
      after = ends.higherEntry(begin);
    }
    if (missing < to) {
      gaps.add(new Extent(missing, to - missing));
    }
    ends.put(begin, Math.max(to, missing));
    return gaps;
  }
}
