package org.sluice.core.store.series;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The last commit of a number by a run. In one round of writing several commits may follow each
 * other, each with newer parts of some nodes. For files join a checkpoint on one node and not on
 * others, whose processes may be gone by then. No part is followed by an older part, though a list
 * may lack a part that the log has.
 *
 * @param sequence sequence of the commit's entry in the log
 * @param growths growth of each node whose part is not its first; of every node with a part, where
 *     some may have none
 * @param others growth of all other nodes: 0, or -1 where they have no part
 */
record Decision(long sequence, long round, Map<String, Long> growths, long others) {
  static Decision of(final long sequence, final LogEntry.Commit commit) {
    final List<PartKey> parts = commit.keys();
    final long others =
        parts.stream().allMatch(part -> part.coverage().equals(RequiredRanks.ALL)) ? 0 : -1;
    final Map<String, Long> growths = new HashMap<>();
    for (final PartKey part : parts) {
      if (part.growth() > others) {
        growths.put(part.node(), part.growth());
      }
    }
    return new Decision(sequence, commit.round(), Map.copyOf(growths), others);
  }

  static boolean lacks(final LogEntry.Commit commit, final PartKey part) {
    return commit.keys().stream().noneMatch(one -> one.node().equals(part.node()));
  }

  /** Refuses a commit that does not fit the part of a node. */
  static void check(
      final LogEntry.Commit commit, final PartKey part, final int ranks, final String run)
      throws RefusedException {
    if (commit.ranks() != ranks) {
      throw new RefusedException(
          "node %s committed it for %d ranks, and node %s counts %d; a run has one number of ranks"
              .formatted(commit.node(), commit.ranks(), part.node(), ranks));
    }
    if (part.coverage().equals(RequiredRanks.ALL) && lacks(commit, part)) {
      throw new RefusedException(
          "node %s committed it without node %s; was the run's name, %s, used for two launches?"
              .formatted(commit.node(), part.node(), run));
    }
  }

  static Collection<PartKey> newest(final Collection<PartKey> parts) {
    final Map<String, PartKey> newest = new LinkedHashMap<>();
    for (final PartKey part : parts) {
      newest.merge(part.node(), part, (one, two) -> two.growth() > one.growth() ? two : one);
    }
    return newest.values();
  }

  /**
   * Returns whether a part is in the commit, or superseded by it: by a newer part or a later round.
   */
  boolean has(final PartKey part) {
    return round > part.round()
        || round == part.round() && growths.getOrDefault(part.node(), others) >= part.growth();
  }
}
