package org.sluice.core.store.parts;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.NoCheckpointException;
import org.sluice.core.command.StoreOption;
import org.sluice.core.store.node.CheckpointReader;
import org.sluice.core.store.node.NodeTidying;
import org.sluice.core.store.node.PosixStore;
import org.sluice.core.store.node.StoreTidying;
import org.sluice.core.store.series.SeriesReader;
import org.sluice.core.store.series.SeriesStore;
import org.sluice.core.store.series.SeriesTidying;

/**
 * The opening of stores by users' names: a store of one node, or a series in a store of several.
 */
public final class Stores {
  /** The series of a run whose user names none. */
  public static final String DEFAULT_SERIES = "default";

  private Stores() {}

  /**
   * Opens a store for reading.
   *
   * @param series name of the series; else the only one, or the default series
   * @throws CommandException when the choice of the series is open
   * @throws IOException when there is no store, or it cannot be read
   */
  public static CheckpointReader open(final StoreOption option, final Optional<String> series)
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
   * Returns the series of a command that shows all series unless one is named.
   *
   * @param series name of the series; else all
   * @return names that {@link #open} takes; an empty one for a store that has none
   */
  public static List<Optional<String>> names(
      final StoreOption option, final Optional<String> series) throws IOException {
    final Optional<SeriesStore> nodes =
        series.isPresent() ? Optional.empty() : ofSeveralNodes(option);
    if (nodes.isPresent()) {
      try (SeriesStore store = nodes.get()) {
        final List<String> names = store.names();
        if (!names.isEmpty()) {
          return names.stream().map(Optional::of).toList();
        }
      }
    }
    return List.of(series);
  }

  /**
   * Opens a store if it is one of several nodes.
   *
   * @return the store, which the caller closes; empty when it is of one node, or there is none
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
   * Opens a store from which something is to be removed.
   *
   * @param series name of the series; else the only one
   * @return the removal, which the caller closes
   * @throws CommandException when the choice of the series is open, or the store is one node's part
   *     of a series, whose log counts on its files
   * @throws IOException when there is no store, or it cannot be read
   */
  public static StoreTidying openToTidy(final StoreOption option, final Optional<String> series)
      throws IOException {
    final Optional<SeriesStore> nodes = ofSeveralNodes(option);
    if (nodes.isEmpty()) {
      return new NodeTidying(openOfOneNode(option.directory(), series));
    }
    try {
      return new SeriesTidying(nodes.get(), choose(nodes.get(), series));
    } catch (final IOException | CommandException e) {
      nodes.get().close();
      throw e;
    }
  }

  private static PosixStore openOfOneNode(final Path directory, final Optional<String> series)
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
   * Returns the series that is to be changed. Where there are several, the user has to name one.
   *
   * @param series name of the series; else the only one
   * @return name of a series that is there, or of the first one to come
   * @throws CommandException when the choice is open
   */
  private static String choose(final SeriesStore store, final Optional<String> series)
      throws IOException {
    final List<String> names = store.names();
    if (series.isEmpty() && names.size() > 1) {
      throw new CommandException(
          ExitStatus.USAGE,
          "the store %s has the series %s; choose one with --series"
              .formatted(store, String.join(", ", names)));
    }
    if (series.isPresent() && !names.contains(series.get())) {
      throw new NoCheckpointException(
          "the store %s has no series %s, only: %s"
              .formatted(store, series.get(), String.join(", ", names)));
    }
    return series.orElse(names.isEmpty() ? DEFAULT_SERIES : names.getFirst());
  }

  private static String chooseToRead(final SeriesStore store, final Optional<String> series)
      throws IOException {
    return series.isEmpty() && store.names().contains(DEFAULT_SERIES)
        ? DEFAULT_SERIES
        : choose(store, series);
  }

  /** Opens a store of one node. A store whose format is damaged may have series. */
  private static PosixStore openOne(final Path directory, final Optional<String> series)
      throws IOException {
    final PosixStore opened = PosixStore.open(directory);
    if (series.isPresent()) {
      opened.close();
      throw new CommandException(
          ExitStatus.USAGE,
          "%s is a store of one node, which has no series; leave --series out"
              .formatted(directory));
    }
    return opened;
  }
}
