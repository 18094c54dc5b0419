package org.sluice.iop.wave;

import static java.util.Comparator.comparingLong;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.command.StoreOption;
import org.sluice.core.store.directory.SeriesFormat;
import org.sluice.core.store.disk.NoStoreException;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.node.CheckpointReader;
import org.sluice.core.store.parts.Stores;
import org.sluice.core.store.series.SeriesStore;

/** The wave that a restart of an MPI job begins with. */
public final class NewestWave {
  private static final String STATE = "rank-0000/state";

  private NewestWave() {}

  /**
   * Finds the newest of the checkpoints that count and that a wave made: others have no state of
   * ranks.
   *
   * @param series the series' name; empty for the one that runs go on with unless told otherwise
   * @param unreadable told of what else cannot be read
   * @return its number; empty without one
   */
  public static OptionalLong of(
      final StoreOption store,
      final Optional<String> series,
      final Consumer<IOException> unreadable)
      throws IOException {
    final String name = series.orElse(Stores.DEFAULT_SERIES);
    OwnRuns.check(store, name);
    if (!isThere(store, name)) {
      return OptionalLong.empty();
    }
    try (CheckpointReader opened = Stores.open(store, series)) {
      for (final Commit commit : counting(opened, unreadable).reversed()) {
        if (isWave(opened, commit)) {
          tellOfLostLog(store, name, commit, unreadable);
          return OptionalLong.of(commit.number());
        }
      }
    }
    return OptionalLong.empty();
  }

  /**
   * @param unreadable told of what cannot be read
   * @return those that are whole, in the order of their numbers
   */
  public static List<Commit> counting(
      final CheckpointReader opened, final Consumer<IOException> unreadable) throws IOException {
    return opened.commits(unreadable).stream()
        .filter(commit -> !commit.incomplete() && commit.coverage().part().isEmpty())
        .sorted(comparingLong(Commit::number))
        .toList();
  }

  /** A damaged checkpoint may be one, and then the ranks tell. */
  private static boolean isWave(final CheckpointReader opened, final Commit commit)
      throws IOException {
    try {
      return opened.images(commit).stream().anyMatch(image -> STATE.equals(image.path()));
    } catch (final DamagedException | FormatVersionException damaged) {
      return true;
    }
  }

  /**
   * Tells of a log that is missing. The log of a bucket's series is on the stage of another node.
   */
  private static void tellOfLostLog(
      final StoreOption store,
      final String series,
      final Commit wave,
      final Consumer<IOException> unreadable) {
    if (!store.isElsewhere()) {
      final WaveFiles files = WaveFiles.in(store.directory(), series);
      if (!files.areThere()) {
        unreadable.accept(
            new DamagedException(
                files.log().toString(),
                0,
                "it is missing; checkpoint %d is known by its images".formatted(wave.number())));
      }
    }
  }

  private static boolean isThere(final StoreOption store, final String series) throws IOException {
    if (!store.isElsewhere() && !SeriesFormat.isAnyStore(store.directory())) {
      return WaveFiles.in(store.directory(), series).areThere(); // else the first job makes it
    }
    try (SeriesStore nodes = Stores.ofSeveralNodes(store).orElse(null)) {
      return nodes == null || nodes.names().contains(series);
    } catch (final NoStoreException none) {
      return false;
    }
  }
}
