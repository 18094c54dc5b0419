package org.sluice.core.series;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The last commit of a number by a run. In one round of writing more than one may follow, each with
 * newer parts of some nodes: files join a checkpoint on one node and not on others, whose processes
 * may be gone by then. No part is followed by an older one, though a list may lack what the log
 * has.
 *
 * @param sequence of the commit's entry in the log
 * @param round its round
 * @param growths of the nodes whose parts are not their first ones; each node has one
 */
record Decision(long sequence, long round, Map<String, Long> growths) {
  static Decision of(final long sequence, final LogEntry.Commit commit) {
    final Map<String, Long> growths = new HashMap<>();
    for (final PartKey part : parts(commit)) {
      if (part.growth() > 0) {
        growths.put(part.node(), part.growth());
      }
    }
    return new Decision(sequence, commit.round(), Map.copyOf(growths));
  }

  static List<PartKey> parts(final LogEntry.Commit commit) {
    return commit.keys();
  }

  /** Of each node its newest part. */
  static Collection<PartKey> newest(final Collection<PartKey> parts) {
    final Map<String, PartKey> newest = new LinkedHashMap<>();
    for (final PartKey part : parts) {
      newest.merge(part.node(), part, (one, two) -> two.growth() > one.growth() ? two : one);
    }
    return newest.values();
  }

  /** Whether it has a part, or what followed that part: a newer one, or a later round. */
  boolean has(final PartKey part) {
    return round > part.round()
        || round == part.round() && growths.getOrDefault(part.node(), 0L) >= part.growth();
  }
}
