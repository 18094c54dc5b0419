package org.sluice.iop.publish;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.sluice.core.store.model.RankSet;
import org.sluice.core.store.parts.SeriesDirectory;

/**
 * The other nodes of a run, as far as this node sees them. Each node makes its place in the store
 * as it begins. On a path that is not one directory on all nodes it sees none, and would wait for
 * all of them.
 */
final class OtherNodes {
  /** The time in which another node begins whose ranks have anything to do with those here. */
  private static final long STRANGE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final SeriesDirectory.Place place;

  OtherNodes(final SeriesDirectory.Place place) {
    this.place = place;
  }

  /**
   * Returns whether a part waits for longer than another node can take to begin, and none has
   * begun.
   */
  boolean areStrange(final RankSet missing, final long waitedNanos) {
    return waitedNanos > STRANGE_NANOS && !missing.isEmpty() && !isSeen();
  }

  /** Returns what a part waits for. */
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
      return true; // an unreadable series is no sign of anything
    }
  }
}
