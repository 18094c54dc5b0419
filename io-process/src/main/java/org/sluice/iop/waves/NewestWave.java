package org.sluice.iop.waves;

import static java.util.Comparator.comparingLong;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.StoreOption;
import org.sluice.core.series.SeriesObjects;
import org.sluice.core.series.SeriesStore;
import org.sluice.core.series.Stores;
import org.sluice.core.store.CheckpointReader;
import org.sluice.core.store.Commit;
import org.sluice.core.store.NoStoreException;

/** The wave that a restart of an MPI job begins with. */
public final class NewestWave {
  private static final String STATE = "rank-0000/state";

  private NewestWave() {}

  /**
   * Of the checkpoints that count, the newest that a wave made: others have no state of ranks.
   *
   * @param store a user's
   * @param series the series' name; null for the one that runs go on with unless told otherwise
   * @param unreadable told of what else cannot be read
   * @return its number; empty without one
   * @throws CommandException when another job has begun behind this one
   * @throws IOException when the store cannot be read
   */
  public static OptionalLong of(
      final StoreOption store, final String series, final Consumer<IOException> unreadable)
      throws IOException {
    OwnRuns.check(store, WaveFiles.named(series));
    return store.isElsewhere()
        ? inBucket(store, WaveFiles.named(series), unreadable)
        : inDirectory(store, series, unreadable);
  }

  /**
   * Checkpoints that count.
   *
   * @param opened what they are in
   * @param unreadable told of what cannot be read
   * @return those that are whole, in the order of their numbers
   * @throws IOException when the store cannot be read
   */
  public static List<Commit> counting(
      final CheckpointReader opened, final Consumer<IOException> unreadable) throws IOException {
    return opened.commits(unreadable).stream()
        .filter(commit -> !commit.incomplete() && commit.part().isEmpty())
        .sorted(comparingLong(Commit::number))
        .toList();
  }

  private static OptionalLong inDirectory(
      final StoreOption store, final String series, final Consumer<IOException> unreadable)
      throws IOException {
    final WaveFiles files = WaveFiles.in(store.directory(), series);
    if (!files.areThere()) {
      return OptionalLong.empty();
    }
    final Set<Long> waves = begun(files);
    try (CheckpointReader opened = Stores.open(store, series)) {
      for (final Commit commit : counting(opened, unreadable).reversed()) {
        if (waves.contains(commit.number()) && isStillWave(opened, commit)) {
          return OptionalLong.of(commit.number());
        }
      }
    }
    return OptionalLong.empty();
  }

  /** Another program may have made its checkpoint of that number anew. Of damage the ranks tell. */
  private static boolean isStillWave(final CheckpointReader opened, final Commit commit) {
    try {
      return isWave(opened, commit);
    } catch (final IOException damaged) {
      return true;
    }
  }

  private static boolean isWave(final CheckpointReader opened, final Commit commit)
      throws IOException {
    return opened.images(commit).stream().anyMatch(image -> STATE.equals(image.path()));
  }

  private static Set<Long> begun(final WaveFiles files) throws IOException {
    final Set<Long> waves = new HashSet<>();
    for (final Map<String, Object> line : files.lines()) {
      if ("begun".equals(line.get("what")) && line.get("wave") instanceof final Number number) {
        waves.add(number.longValue());
      }
    }
    return waves;
  }

  /** No log is there. A wave has an image of this name, of which a rank says if it is another's. */
  private static OptionalLong inBucket(
      final StoreOption store, final String series, final Consumer<IOException> unreadable)
      throws IOException {
    if (!isThere(store, series)) {
      return OptionalLong.empty();
    }
    try (CheckpointReader opened = Stores.open(store, series)) {
      for (final Commit commit : counting(opened, unreadable).reversed()) {
        if (isWave(opened, commit)) {
          return OptionalLong.of(commit.number());
        }
      }
    }
    return OptionalLong.empty();
  }

  private static boolean isThere(final StoreOption store, final String series) throws IOException {
    try (SeriesStore nodes = SeriesObjects.open(store.location())) {
      return nodes.names().contains(series);
    } catch (final NoStoreException none) {
      return false; // the first job makes it
    }
  }
}
