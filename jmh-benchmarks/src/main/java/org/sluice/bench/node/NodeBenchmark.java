package org.sluice.bench.node;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.sluice.profile.workload.Workload;
import org.sluice.profile.workload.WritePattern;

/** Measures all targets of a workload side by side: one round of each after the other. */
final class NodeBenchmark {
  private final int ranks;
  private final int rounds;
  private final List<Integer> gapsMillis;
  private final List<Target> targets;
  private final Path directory;
  private final Path runtime;
  private final PrintStream progress;
  private final Results results;

  /**
   * A run.
   *
   * @param gapsMillis idleness before each measured checkpoint
   * @param directory for files, on the disk to be measured
   * @param runtime for segments
   */
  NodeBenchmark(
      final int ranks,
      final int rounds,
      final List<Integer> gapsMillis,
      final List<Target> targets,
      final Path directory,
      final Path runtime,
      final PrintStream progress) {
    this.ranks = ranks;
    this.rounds = rounds;
    this.gapsMillis = gapsMillis;
    this.targets = targets;
    this.directory = directory;
    this.runtime = runtime;
    this.progress = progress;
    this.results = new Results(ranks);
  }

  Results results() {
    return results;
  }

  void run(final Workload workload) throws IOException, InterruptedException {
    final List<Arm> arms = new ArrayList<>();
    try {
      for (final Target target : targets) {
        progress.printf("%s: starting %s%n", workload, target);
        final Path home = directory.resolve(workload.name()).resolve(target.label());
        arms.add(Arm.start(target, WritePattern.of(workload), ranks, home, runtime));
      }
      warmUp(workload, arms);
      for (final int gap : gapsMillis) {
        measure(workload, arms, gap);
      }
    } finally {
      for (final Arm arm : arms) {
        arm.close();
      }
    }
  }

  private void warmUp(final Workload workload, final List<Arm> arms)
      throws IOException, InterruptedException {
    final int most = arms.stream().mapToInt(arm -> arm.target().warmUps()).max().orElse(0);
    for (int left = most; left > 0; left--) {
      progress.printf("%s: warm-up, %d left%n", workload, left);
      for (final Arm arm : arms) {
        if (arm.target().warmUps() >= left) {
          for (final Until until : arm.target().measurements()) {
            checkpoint(arm, until, 0);
          }
        }
      }
    }
  }

  private void measure(final Workload workload, final List<Arm> arms, final int gap)
      throws IOException, InterruptedException {
    final List<Series> series =
        arms.stream().map(arm -> results.add(workload, arm.target(), gap)).toList();
    for (int round = 1; round <= rounds; round++) {
      progress.printf("%s: round %d of %d, gap %d ms%n", workload, round, rounds, gap);
      for (int i = 0; i < arms.size(); i++) {
        for (final Until until : arms.get(i).target().measurements()) {
          series.get(i).add(until, checkpoint(arms.get(i), until, gap));
        }
      }
    }
    for (int i = 0; i < arms.size(); i++) {
      observe(arms.get(i), series.get(i));
    }
  }

  /** What takes no time to measure, or more than a measurement may take. */
  private static void observe(final Arm arm, final Series series)
      throws IOException, InterruptedException {
    if (arm.service().isPresent()) {
      final IoProcess iop = arm.service().get();
      series.footprint(new Series.Footprint(iop.peakMemory(), iop.ownMemory(), iop.hugeMemory()));
    }
    series.add(Until.COUNT, checkpoint(arm, Until.COUNT, 0));
  }

  private static Sample checkpoint(final Arm arm, final Until until, final int gap)
      throws IOException, InterruptedException {
    arm.prepare();
    Thread.sleep(gap);
    return arm.checkpoint(until);
  }
}
