package org.sluice.iop.waves;

import java.io.IOException;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import org.sluice.core.command.StoreOption;
import org.sluice.core.series.Stores;
import org.sluice.core.store.CheckpointReader;
import org.sluice.core.store.Commit;

/** The wave that a restart of an MPI job begins with. */
public final class NewestWave {
  private NewestWave() {}

  /**
   * Of the checkpoints that count, the newest that a wave made: others have no state of ranks.
   *
   * @param store a user's
   * @param series the series' name; null for the one that runs go on with unless told otherwise
   * @param unreadable told of what else cannot be read
   * @return its number; empty without one
   * @throws IOException when the store cannot be read
   */
  public static OptionalLong of(
      final StoreOption store, final String series, final Consumer<IOException> unreadable)
      throws IOException {
    final WaveFiles files = WaveFiles.in(store.directory(), series);
    if (!files.areThere()) {
      return OptionalLong.empty();
    }
    final Set<Long> waves = new HashSet<>();
    for (final Map<String, Object> line : files.lines()) {
      if ("begun".equals(line.get("what")) && line.get("wave") instanceof final Number number) {
        waves.add(number.longValue());
      }
    }
    try (CheckpointReader opened = Stores.open(store, series)) {
      return opened.commits(unreadable).stream()
          .filter(commit -> !commit.incomplete() && commit.part().isEmpty())
          .mapToLong(Commit::number)
          .filter(waves::contains)
          .max();
    }
  }
}
