package org.sluice.core.store.series;

import java.util.Collection;
import org.sluice.core.store.model.RankSet;

/** The parts of one checkpoint, and the ranks that they lack to be complete. Not thread-safe. */
final class PartSet {
  private final RankSet.Union present = new RankSet.Union();
  private RankSet closed = RankSet.NONE;
  private long count;

  static PartSet of(final Collection<PartKey> parts) {
    final PartSet gathering = new PartSet();
    parts.forEach(gathering::add);
    return gathering;
  }

  /** Returns the parts, and refuses parts of which two have one rank. */
  static PartSet ofOneLaunch(final String run, final Collection<PartKey> parts)
      throws RefusedException {
    final PartSet gathering = new PartSet();
    for (final PartKey part : parts) {
      if (!gathering.add(part)) {
        throw new RefusedException(
            "two nodes have parts of the same ranks, such as %s; was the run's name, %s, used for two launches?"
                .formatted(part, run));
      }
    }
    return gathering;
  }

  /** Adds a part; returns false when another part has a rank of it. */
  boolean add(final PartKey part) {
    final RankSet itsClosed = part.coverage().closed();
    if (!itsClosed.without(closed).isEmpty()) { // most nodes have seen the same
      closed = closed.with(itsClosed);
    }
    count += Math.max(part.ranks().size(), part.coverage().local());
    return present.add(part.ranks());
  }

  /**
   * Returns the ranks whose parts are missing. Each part names the ranks over which its node has
   * found a marker to close; the union of all counts. Ranks that write nothing are among the
   * missing until the parts stand for all.
   */
  RankSet missing(final int ranks) {
    final RankSet there = present.ranks();
    if (!closed.isEmpty()) {
      return closed.without(there);
    }
    return count >= ranks && !there.isEmpty() ? RankSet.NONE : there.missing(ranks);
  }
}
