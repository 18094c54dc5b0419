package org.sluice.bench.node;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.sluice.profile.replay.ReplayResult;
import org.sluice.profile.replay.ReplayRounds.Ending;
import org.sluice.profile.replay.Scratch;

/**
 * A sweep of first checkpoints: in each round each system has programs, a session and a store that
 * are all new, as a user has.
 *
 * @param gapsMillis idleness before each checkpoint; one gap after the other
 * @param whenFull action of a write that finds no room
 * @param later number of checkpoints that follow the first one
 */
record FreshSweep(
    List<Storage> storages,
    int rounds,
    List<Integer> gapsMillis,
    String whenFull,
    int later,
    Path runtime,
    PrintStream progress)
    implements Sweep {
  @Override
  public List<Series> run(final Load load, final Path home)
      throws IOException, InterruptedException {
    final List<Series> all = new ArrayList<>();
    for (final int gap : gapsMillis) {
      final List<Series> series =
          storages.stream().map(storage -> new Series(load, storage, gap)).toList();
      for (int round = 1; round <= rounds; round++) {
        progress.printf("%s: round %d of %d, gap %d ms%n", load, round, rounds, gap);
        for (final Series each : series) {
          measure(each, home.resolve(each.storage().label()));
        }
      }
      all.addAll(series);
    }
    return all;
  }

  private void measure(final Series series, final Path home)
      throws IOException, InterruptedException {
    for (final Ending ending : series.storage().commits()) {
      Scratch.delete(home);
      final List<ReplayResult> results = new ArrayList<>();
      try (Arm arm = Arm.fresh(series.storage(), series.load(), whenFull, home, runtime)) {
        for (int i = 0; i <= later; i++) {
          results.add(arm.checkpoint(ending, series.gapMillis()));
        }
      }
      series.add(ending, results);
    }
  }
}
