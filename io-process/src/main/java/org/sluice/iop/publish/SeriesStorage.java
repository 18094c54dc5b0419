package org.sluice.iop.publish;

import java.io.IOException;
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
    public SeriesStore open() {
      return new SeriesDirectory(place.root());
    }

    @Override
    public String series() {
      return place.series();
    }
  }
}
