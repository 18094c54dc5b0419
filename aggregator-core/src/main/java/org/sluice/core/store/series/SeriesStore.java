package org.sluice.core.store.series;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.sluice.core.store.objects.Engine;

/** A store that several nodes use at a time: in a directory, or at an engine. */
public interface SeriesStore extends AutoCloseable {
  /** Returns the names of the store's series in order. */
  List<String> names() throws IOException;

  /**
   * Returns the objects of a series.
   *
   * @param series a series of the store; without it reading finds nothing
   */
  Engine engine(String series);

  /**
   * Returns the objects of the store itself. The series are folders of it.
   *
   * @return engine of the store, which the store closes
   */
  Engine whole();

  /**
   * Returns the objects beside the series that processes left which were killed while they made the
   * store.
   *
   * @return keys of {@link #whole}, none with a slash
   */
  List<String> remains() throws IOException;

  /**
   * Returns a reader of the nodes' parts of checkpoints of a series.
   *
   * @return reader that the caller closes, before the store
   */
  PartReader parts(String series);

  /** Returns the lookup of the data that parts of a series need. */
  SeriesGarbage.Names needs(String series);

  /**
   * Returns when a process was last seen to use a place: a node's files of a run, a draft, or one
   * of {@link #remains}.
   *
   * @param place prefix of the node's data, see {@link DataKey}, or a draft's name; a name without
   *     a slash is of the store itself
   * @return time by the clock of that process; empty where no process uses the place any more, as
   *     it has ended, or ever did, as the files were copied
   */
  Optional<Instant> lastUsed(String series, String place) throws IOException;

  /** Returns drafts of objects, which killed writers may have left, for {@link Engine#delete}. */
  default List<String> drafts(final String series) throws IOException {
    return List.of();
  }

  /** Returns the store as the user names it. */
  @Override
  String toString();

  @Override
  void close() throws IOException;
}
