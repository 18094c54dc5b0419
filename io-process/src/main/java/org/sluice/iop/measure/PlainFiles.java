package org.sluice.iop.measure;

import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.sluice.core.segment.Reason;

/**
 * The files that were opened for writing and are no images, by reason. The memory is bounded: once
 * there are many files, each further opening counts as a file. Not thread-safe.
 */
final class PlainFiles {
  private static final int MOST = 1 << 16;

  private final Set<Object> known = new HashSet<>();
  private final Map<Reason, Long> counts = new EnumMap<>(Reason.class);

  /** Counts a file once. Returns true for the first file of this reason. */
  boolean add(final Object key, final Reason reason) {
    if (known.size() < MOST && !known.add(key)) {
      return false;
    }
    return counts.merge(reason, 1L, Long::sum) == 1;
  }

  long count(final Reason reason) {
    return counts.getOrDefault(reason, 0L);
  }

  long count() {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }
}
