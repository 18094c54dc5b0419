package org.sluice.bench.node;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.sluice.profile.workload.WritePattern;

/**
 * Measures cost against work: for each amount of work all targets of its part, one round of each
 * after the other. The buffer is the same throughout.
 */
final class GrowBenchmark {
  private static final long BUFFER_MEBIBYTES = 512;

  private final int rounds;
  private final int gapMillis;
  private final Threshold threshold;
  private final Path directory;
  private final Path runtime;
  private final PrintStream progress;
  private final List<GrowPoint> points = new ArrayList<>();

  /**
   * A run.
   *
   * @param directory for files, on the disk to be measured
   * @param runtime for segments
   */
  GrowBenchmark(
      final int rounds,
      final int gapMillis,
      final Threshold threshold,
      final Path directory,
      final Path runtime,
      final PrintStream progress) {
    this.rounds = rounds;
    this.gapMillis = gapMillis;
    this.threshold = threshold;
    this.directory = directory;
    this.runtime = runtime;
    this.progress = progress;
  }

  /** What was measured so far, in that order. */
  List<GrowPoint> points() {
    return points;
  }

  /** Measures all targets of a part with so much work, and deletes what they wrote. */
  void run(final GrowPart part, final long work) throws IOException, InterruptedException {
    final WritePattern pattern = part.pattern(work);
    final int ranks = part.ranks(work);
    final List<String> options = List.of("--buffer=%dM".formatted(BUFFER_MEBIBYTES));
    final List<Arm> arms = new ArrayList<>();
    try {
      for (final Target target : part.targets()) {
        final Path home = directory.resolve(target.label());
        arms.add(Arm.start(target, pattern, ranks, options, home, runtime));
        if (target.isSluice()) {
          arms.getLast().service().orElseThrow().threshold(threshold);
        }
      }
      points.addAll(measure(part, work, pattern.imageLength() * ranks, arms));
    } finally {
      for (final Arm arm : arms) {
        arm.close();
      }
      Directories.delete(directory);
    }
  }

  private List<GrowPoint> measure(
      final GrowPart part, final long work, final long bytes, final List<Arm> arms)
      throws IOException, InterruptedException {
    final List<GrowPoint> row =
        arms.stream().map(arm -> new GrowPoint(part, work, arm.target(), bytes)).toList();
    final int warmUps = arms.stream().mapToInt(arm -> arm.target().warmUps()).max().orElse(0);
    for (int round = 1 - warmUps; round <= rounds; round++) {
      progress.printf("%d %s: round %d of %d%n", work, part.unit(), round, rounds);
      for (int i = 0; i < arms.size(); i++) {
        if (round > -arms.get(i).target().warmUps()) {
          checkpoint(arms.get(i), round > 0 ? row.get(i) : new GrowPoint(part, work, null, bytes));
        }
      }
    }
    for (int i = 0; i < arms.size(); i++) {
      if (arms.get(i).service().isPresent()) {
        final IoProcess service = arms.get(i).service().get();
        final long own = service.ownMemory();
        row.get(i).memory().add(new GrowPoint.Memory(own, service.liveHeap()));
      }
    }
    return row;
  }

  private void checkpoint(final Arm arm, final GrowPoint point)
      throws IOException, InterruptedException {
    for (final Until until : measurements(arm.target())) {
      arm.prepare();
      Thread.sleep(gapMillis);
      point.add(until, arm.checkpoint(until));
    }
  }

  /** A floor of durable times only, since gigabytes take their time. */
  private static List<Until> measurements(final Target target) {
    return target == Target.ODIRECT_FLOOR ? List.of(Until.SYNC) : target.measurements();
  }
}
