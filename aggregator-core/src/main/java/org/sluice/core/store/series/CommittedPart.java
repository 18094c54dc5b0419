package org.sluice.core.store.series;

import java.util.List;

/**
 * A part of a commit with the place of its bytes: an object under its key, or the entry of the log
 * that commits it.
 *
 * @param entry sequence of the entry that has its bytes; 0 when it is an object of its own
 */
public record CommittedPart(PartKey key, long entry) {
  static List<CommittedPart> of(final long sequence, final LogEntry.Commit commit) {
    return commit.keys().stream()
        .map(key -> new CommittedPart(key, commit.whole() ? sequence : 0))
        .toList();
  }

  boolean isObject() {
    return entry == 0;
  }

  boolean isBeside(final CommittedPart other) {
    return key.begin() == other.key.begin() && key.node().equals(other.key.node());
  }
}
