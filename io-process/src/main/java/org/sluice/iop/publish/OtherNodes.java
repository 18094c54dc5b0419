package org.sluice.iop.publish;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.sluice.core.store.model.RankSet;
import org.sluice.core.store.parts.SeriesDirectory;

/**
 * Whether this node sees any other of its run: each makes its place in the store as it begins. On a
 * path that is not one directory on all nodes it sees none, and would wait for all of them.
 */
final class OtherNodes {
  /** By then another node has begun whose ranks have anything to do with those here. */
  private static final long STRANGE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final SeriesDirectory.Place place;

  OtherNodes(final SeriesDirectory.Place place) {
    this.place = place;
  }

  /** Whether a part waits for longer than it can take another node to begin, and none has. */
  boolean areStrange(final RankSet missing, final long waitedNanos) {
    return waitedNanos > STRANGE_NANOS && !missing.isEmpty() && !isSeen();
  }

  /** What a part waits for. */
  String lack(final RankSet missing) {
    return "the parts of ranks %s are missing; ".formatted(missing)
        + (isSeen()
            ? "their nodes have not committed them"
            : "node %s sees no other node that has begun in %s: give all nodes one shared --store"
                .formatted(place.node(), place.root()));
  }

  private boolean isSeen() {
    if (place == null) { // a bucket shows nothing of a node before it has copied
      return true;
    }
    try {
      return new SeriesDirectory(place.root())
          .places(place.series(), place.begin()).stream().anyMatch(other -> !other.equals(place));
    } catch (final IOException unreadable) {
      return true; // which is no sign of anything
    }
  }
}
