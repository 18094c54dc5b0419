package org.sluice.core.store.series;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.sluice.core.store.objects.Engine;

/** A store that several nodes use at a time: in a directory, or at an engine. */
public interface SeriesStore extends AutoCloseable {
  /**
   * The names of its series.
   *
   * @return in order
   * @throws IOException when they cannot be listed
   */
  List<String> names() throws IOException;

  /**
   * The objects of a series.
   *
   * @param series one that is there; without it reading finds nothing
   * @return an engine; the caller closes it, before the store
   */
  Engine engine(String series);

  /**
   * The objects of the store itself. The series are folders of it.
   *
   * @return the store's own, which it closes
   */
  Engine whole();

  /**
   * What killed processes left beside the series, that were making the store.
   *
   * @return keys of {@link #whole}, none with a slash
   * @throws IOException when they cannot be listed
   */
  List<String> remains() throws IOException;

  /**
   * Reads what nodes have of the checkpoints of a series.
   *
   * @param series the series' name
   * @return to be closed by the caller, before the store
   */
  PartReader parts(String series);

  /**
   * The data that parts of a series need.
   *
   * @param series the series' name
   * @return tells it by a part's key
   */
  SeriesGarbage.Names needs(String series);

  /**
   * When a process was last seen to use what a node has written in a run, in its place, or a draft,
   * or one of {@link #remains}.
   *
   * @param series the series' name
   * @param place the prefix of the node's data, see {@link DataKey}, or a draft's name; one without
   *     a slash is of the store itself
   * @return by the clock of who did; empty where none does any more, as its process has ended, or
   *     ever, as what is there was copied
   * @throws IOException when that cannot be found out
   */
  Optional<Instant> lastUsed(String series, String place) throws IOException;

  /**
   * Drafts of objects, which killed writers may have left.
   *
   * @param series the series' name
   * @return names that {@link Engine#delete} takes
   * @throws IOException when they cannot be listed
   */
  default List<String> drafts(final String series) throws IOException {
    return List.of();
  }

  /** As the user names it. */
  @Override
  String toString();

  @Override
  void close() throws IOException;
}
