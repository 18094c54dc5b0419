package org.sluice.iop.publish;

import java.io.IOException;
import java.util.Optional;
import org.sluice.core.store.log.StoredPart;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.node.PosixStore;
import org.sluice.core.store.parts.SeriesDirectory;
import org.sluice.core.store.series.PartKey;
import org.sluice.core.store.series.SeriesStore;

/** The storage of a series, and what nodes put there of their own stores. */
public interface SeriesStorage {
  /**
   * The part that a commit is: the same each time.
   *
   * @return what it consists of is on stable storage
   * @throws IOException when that fails; it may be tried again
   */
  StoredPart part(Commit commit, PartKey key) throws IOException;

  /** {@return the store, which the caller closes} */
  SeriesStore open() throws IOException;

  String series();

  /**
   * Returns why no other node of the run may ever have a part; empty where one is seen, or none
   * could be.
   */
  Optional<String> noOtherNode();

  /**
   * A directory that has the nodes' own stores, too: parts name what these consist of.
   *
   * @param place where the node's own store is
   */
  record InDirectory(SeriesDirectory.Place place, PosixStore store) implements SeriesStorage {
    @Override
    public StoredPart part(final Commit commit, final PartKey key) throws IOException {
      return new StoredPart(commit, store.images(commit));
    }

    @Override
    public SeriesDirectory open() {
      return new SeriesDirectory(place.root());
    }

    @Override
    public String series() {
      return place.series();
    }

    /**
     * Each node makes its place in the store as it begins. On a path that is not one directory on
     * all nodes this node sees none, and would wait for all of them.
     */
    @Override
    public Optional<String> noOtherNode() {
      try {
        return open().places(place.series(), place.begin()).stream().allMatch(place::equals)
            ? Optional.of(
                "node %s sees no other node that has begun in %s: give all nodes one shared --store"
                    .formatted(place.node(), place.root()))
            : Optional.empty();
      } catch (final IOException unreadable) {
        return Optional.empty(); // an unreadable series is no sign of anything
      }
    }
  }
}
