package org.sluice.core.store.parts;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.NoCheckpointException;
import org.sluice.core.command.StoreOption;
import org.sluice.core.store.node.CheckpointReader;
import org.sluice.core.store.node.PosixStore;
import org.sluice.core.store.series.SeriesReader;
import org.sluice.core.store.series.SeriesStore;

/** Opens what a user calls a store: one of one node, or a series in one of several. */
public final class Stores {
  /** The series that a run goes on with unless told otherwise. */
  public static final String DEFAULT_SERIES = "default";

  private Stores() {}

  /**
   * Opens a store for reading.
   *
   * @param option names it
   * @param series the series' name; null for the only one, or else the one that runs go on with
   *     unless told otherwise
   * @return a reader, which the caller closes
   * @throws CommandException when it cannot be told which series is meant
   * @throws IOException when there is no store, or it cannot be read
   */
  public static CheckpointReader open(final StoreOption option, final String series)
      throws IOException {
    final Optional<SeriesStore> nodes = ofSeveralNodes(option);
    if (nodes.isEmpty()) {
      return openOne(option.directory(), series);
    }
    try {
      return new SeriesReader(nodes.get(), chooseToRead(nodes.get(), series));
    } catch (final IOException | CommandException e) {
      nodes.get().close();
      throw e;
    }
  }

  /**
   * The series that are meant by who wants to see all.
   *
   * @param option names the store
   * @param series the series' name; null for all
   * @return names that {@link #open} takes, null for a store that has none
   * @throws IOException when there is no store, or it cannot be read
   */
  public static List<String> names(final StoreOption option, final String series)
      throws IOException {
    if (series == null) {
      final Optional<SeriesStore> nodes = ofSeveralNodes(option);
      if (nodes.isPresent()) {
        try (SeriesStore store = nodes.get()) {
          final List<String> names = store.names();
          if (!names.isEmpty()) {
            return names;
          }
        }
      }
    }
    return Collections.singletonList(series);
  }

  /**
   * Opens a store if it is one of several nodes.
   *
   * @param option names it
   * @return the store, which the caller closes; empty when it is another, or there is none
   * @throws IOException when it cannot be read, or there is none at a URI
   */
  public static Optional<SeriesStore> ofSeveralNodes(final StoreOption option) throws IOException {
    if (option.isElsewhere()) {
      return Optional.of(SeriesObjects.open(option.location()));
    }
    return SeriesDirectory.is(option.directory())
        ? Optional.of(SeriesDirectory.open(option.directory()))
        : Optional.empty();
  }

  /**
   * Opens a store of one node that is to be changed.
   *
   * @param directory where it is
   * @param series the series' name, of which it has none; null if not given
   * @return the store, which the caller closes
   * @throws CommandException when a series is named, or it is one node's part of a series: the
   *     series' log counts on what it has
   * @throws IOException when there is no store, or it cannot be read
   */
  public static PosixStore openOfOneNode(final Path directory, final String series)
      throws IOException {
    final Path absolute = directory.toAbsolutePath().normalize();
    final Path root = SeriesDirectory.root(absolute);
    if (!root.equals(absolute)) {
      throw new CommandException(
          ExitStatus.USAGE,
          "%s is one node's part of the store %s; give that one".formatted(directory, root));
    }
    return openOne(directory, series);
  }

  /**
   * The series that is meant to be changed: nothing is removed from one of several unless told.
   *
   * @param store a store of several nodes
   * @param series the series' name; null for the only one
   * @return the name of one that is there, or of the first one to come
   * @throws CommandException when it cannot be told
   * @throws IOException when the store cannot be read
   */
  public static String choose(final SeriesStore store, final String series) throws IOException {
    final List<String> names = store.names();
    if (series == null && names.size() > 1) {
      throw new CommandException(
          ExitStatus.USAGE,
          "the store %s has the series %s; choose one with --series"
              .formatted(store, String.join(", ", names)));
    }
    if (series != null && !names.contains(series)) {
      throw new NoCheckpointException(
          "the store %s has no series %s, only: %s"
              .formatted(store, series, String.join(", ", names)));
    }
    return series != null ? series : names.isEmpty() ? DEFAULT_SERIES : names.getFirst();
  }

  private static String chooseToRead(final SeriesStore store, final String series)
      throws IOException {
    return choose(
        store, series == null && store.names().contains(DEFAULT_SERIES) ? DEFAULT_SERIES : series);
  }

  /** One whose format is damaged may have series. */
  private static PosixStore openOne(final Path directory, final String series) throws IOException {
    final PosixStore opened = PosixStore.open(directory);
    if (series != null) {
      opened.close();
      throw new CommandException(
          ExitStatus.USAGE,
          "%s is a store of one node, which has no series; leave --series out"
              .formatted(directory));
    }
    return opened;
  }
}
