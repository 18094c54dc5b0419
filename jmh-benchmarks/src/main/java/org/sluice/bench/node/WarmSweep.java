package org.sluice.bench.node;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sluice.profile.replay.ReplayRounds.Ending;

/**
 * A sweep in which ranks and I/O processes stay for all rounds, and are warm when it measures.
 *
 * @param gapsMillis idleness before each measured checkpoint; one gap after the other
 * @param whenFull action of a write that finds no room
 */
record WarmSweep(
    List<Storage> storages,
    int rounds,
    List<Integer> gapsMillis,
    String whenFull,
    Path runtime,
    PrintStream progress)
    implements Sweep {
  /**
   * The most bytes of a checkpoint whose system calls are counted. The count of a larger one takes
   * too long.
   */
  private static final long MOST_COUNTED = 1L << 30;

  @Override
  public List<Series> run(final Load load, final Path home)
      throws IOException, InterruptedException {
    final List<Series> all = new ArrayList<>();
    final List<Arm> arms = new ArrayList<>();
    try {
      for (final Storage storage : storages) {
        progress.printf("%s: starting %s%n", load.workload(), storage.label());
        arms.add(Arm.start(storage, load, whenFull, home.resolve(storage.label()), runtime));
      }
      warmUp(load, arms);
      for (final int gap : gapsMillis) {
        all.addAll(measure(load, arms, gap));
      }
    } finally {
      for (final Arm arm : arms) {
        arm.close();
      }
    }
    return all;
  }

  private void warmUp(final Load load, final List<Arm> arms)
      throws IOException, InterruptedException {
    final int most = arms.stream().mapToInt(arm -> arm.storage().warmUps()).max().orElse(0);
    for (int left = most; left > 0; left--) {
      progress.printf("%s: warm-up, %d left%n", load.workload(), left);
      for (final Arm arm : arms) {
        if (arm.storage().warmUps() >= left) {
          for (final Ending ending : arm.storage().measurements()) {
            arm.checkpoint(ending, 0);
          }
        }
      }
    }
  }

  private List<Series> measure(final Load load, final List<Arm> arms, final int gap)
      throws IOException, InterruptedException {
    final List<Series> series =
        arms.stream().map(arm -> new Series(load, arm.storage(), gap)).toList();
    for (int round = 1; round <= rounds; round++) {
      progress.printf("%s: round %d of %d, gap %d ms%n", load.workload(), round, rounds, gap);
      for (int i = 0; i < arms.size(); i++) {
        measure(arms.get(i), series.get(i));
      }
    }
    for (int i = 0; i < arms.size(); i++) {
      observe(arms.get(i), series.get(i));
    }
    return series;
  }

  private static void measure(final Arm arm, final Series series)
      throws IOException, InterruptedException {
    final Optional<ArmService> service = arm.service();
    final Map<String, Object> before = service.isPresent() ? service.get().statistics() : Map.of();
    for (final Ending ending : arm.storage().measurements()) {
      series.add(ending, arm.checkpoint(ending, series.gapMillis()));
    }
    if (service.isPresent()) {
      series.add(before, service.get().statistics());
    }
  }

  /** Adds the figures that take no time to measure, or more than a measurement may take. */
  private static void observe(final Arm arm, final Series series)
      throws IOException, InterruptedException {
    if (arm.service().isPresent()) {
      series.observe(arm.service().get());
    }
    if (series.load().length() <= MOST_COUNTED && !series.load().workload().equals(Load.RECORDS)) {
      series.add(Ending.COUNT, arm.checkpoint(Ending.COUNT, 0));
    }
  }
}
