package org.sluice.bench.node;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.sluice.profile.workload.Workload;
import org.sluice.profile.workload.WritePattern;

/**
 * Measures thresholds against each other, one buffer after the other: the same ranks and the same
 * I/O process write a checkpoint under each threshold in turn, round after round.
 */
final class ThresholdSweep {
  private static final double MILLI = 1e3;

  private final Target target;
  private final int ranks;
  private final int rounds;
  private final int gapMillis;
  private final String whenFull;
  private final List<Threshold> thresholds;
  private final Path directory;
  private final Path runtime;
  private final PrintStream progress;
  private final List<Point> points = new ArrayList<>();

  /**
   * The rounds of one workload with one buffer under one threshold. Entry <i>n</i> of every list is
   * of round <i>n</i>.
   *
   * @param bufferBytes size of the buffer
   * @param returns milliseconds from the first write to the last close
   * @param durables milliseconds from the first write until all is on stable storage
   * @param directShare bytes that went direct, of all
   * @param waitMillis milliseconds that ranks waited for chunks, all together
   */
  record Point(
      Workload workload,
      long bufferBytes,
      Threshold threshold,
      List<Double> returns,
      List<Double> durables,
      List<Double> directShare,
      List<Double> waitMillis) {
    private Point(final Workload workload, final long bufferBytes, final Threshold threshold) {
      this(
          workload,
          bufferBytes,
          threshold,
          new ArrayList<>(),
          new ArrayList<>(),
          new ArrayList<>(),
          new ArrayList<>());
    }
  }

  /**
   * A run.
   *
   * @param target says the layout
   * @param whenFull what a write does that finds no chunk
   * @param directory for files, on the disk to be measured
   * @param runtime for segments
   */
  ThresholdSweep(
      final Target target,
      final int ranks,
      final int rounds,
      final int gapMillis,
      final String whenFull,
      final List<Threshold> thresholds,
      final Path directory,
      final Path runtime,
      final PrintStream progress) {
    this.target = target;
    this.ranks = ranks;
    this.rounds = rounds;
    this.gapMillis = gapMillis;
    this.whenFull = whenFull;
    this.thresholds = thresholds;
    this.directory = directory;
    this.runtime = runtime;
    this.progress = progress;
  }

  /** What was measured so far, in that order. */
  List<Point> points() {
    return points;
  }

  /** Measures all thresholds with one buffer. */
  void run(final Workload workload, final long bufferBytes)
      throws IOException, InterruptedException {
    final List<String> options = List.of("--buffer=" + bufferBytes, "--when-full=" + whenFull);
    final List<Point> row =
        thresholds.stream().map(each -> new Point(workload, bufferBytes, each)).toList();
    final Path home = directory.resolve("%s-%d".formatted(workload, bufferBytes));
    final WritePattern pattern = WritePattern.of(workload);
    try (Arm arm = Arm.start(target, pattern, ranks, options, home, runtime)) {
      for (final Threshold threshold : thresholds) {
        checkpoint(arm, new Point(workload, bufferBytes, threshold));
      }
      for (int round = 1; round <= rounds; round++) {
        progress.printf(
            "%s: buffer %d MiB, round %d of %d%n", workload, bufferBytes >> 20, round, rounds);
        for (final Point point : row) {
          checkpoint(arm, point);
        }
      }
    }
    points.addAll(row);
  }

  private void checkpoint(final Arm arm, final Point point)
      throws IOException, InterruptedException {
    final IoProcess service = arm.service().orElseThrow();
    service.threshold(point.threshold());
    final Map<String, Object> before = service.statistics();
    for (final Until until : target.measurements()) {
      arm.prepare();
      Thread.sleep(gapMillis);
      final Sample sample = arm.checkpoint(until);
      if (until.hasReturn()) {
        point.returns().add(sample.untilReturn() * MILLI);
      }
      if (until.hasDurable()) {
        point.durables().add(sample.untilDurable() * MILLI);
      }
    }
    final Map<String, Object> after = service.statistics();
    final double direct = grown("direct_bytes", before, after);
    point.directShare().add(direct / (direct + grown("aggregated_bytes", before, after)));
    point
        .waitMillis()
        .add(grown("wait_seconds", before, after) * MILLI / target.measurements().size());
  }

  private static double grown(
      final String name, final Map<String, Object> before, final Map<String, Object> after) {
    return ((Number) after.get(name)).doubleValue() - ((Number) before.get(name)).doubleValue();
  }
}
