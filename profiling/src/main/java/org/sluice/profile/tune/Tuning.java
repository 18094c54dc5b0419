package org.sluice.profile.tune;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sluice.core.command.Progress;
import org.sluice.profile.Interruption;

/** Measures a node and plays a pattern over all settings, as long as it is let. */
final class Tuning {
  private static final List<Long> THRESHOLDS =
      List.of(4L << 10, 16L << 10, 64L << 10, 256L << 10, 512L << 10, 1L << 20, Long.MAX_VALUE);
  private static final long SMALLEST_BUFFER = 8L << 20;
  private static final int MOST_BUFFERS = 9;

  private final Pattern pattern;
  private final NodeCosts costs;
  private final Outcome plain;
  private final List<Long> buffers;
  private final List<Outcome> outcomes = new ArrayList<>();

  private Tuning(final Pattern pattern, final NodeCosts costs) {
    this.pattern = pattern;
    this.costs = costs;
    this.buffers = buffers(pattern.bytes());
    this.plain = new Model(pattern, costs).play(Setting.PLAIN);
  }

  /**
   * Measures and plays.
   *
   * @param interruption once requested, what there is by then is returned
   * @return complete, or not; without outcomes if interrupted while measuring
   */
  static Tuning of(final Pattern pattern, final Path directory, final Interruption interruption)
      throws IOException {
    final NodeCosts costs = measure(new Measurement(directory), interruption);
    final Tuning tuning = new Tuning(pattern, costs);
    tuning.play(interruption);
    return tuning;
  }

  private static NodeCosts measure(final Measurement measurement, final Interruption interruption)
      throws IOException {
    final CostCurve copy = new CostCurve();
    final CostCurve write = new CostCurve();
    try (Progress progress = Progress.beginSteps("measure", Measurement.SIZES.size() + 1)) {
      for (final long size : Measurement.SIZES) {
        if (!interruption.isRequested() || copy.points().isEmpty()) {
          copy.add(size, measurement.copy(size));
          write.add(size, measurement.write(size));
          progress.add(1);
        }
      }
      return new NodeCosts(copy, write, measurement.drain(), measurement.cores());
    }
  }

  /** Each twice the one before, up to what holds everything. */
  private static List<Long> buffers(final long bytes) {
    final List<Long> buffers = new ArrayList<>(List.of(SMALLEST_BUFFER));
    while (buffers.getLast() < bytes && buffers.size() < MOST_BUFFERS) {
      buffers.add(2 * buffers.getLast());
    }
    return buffers;
  }

  private void play(final Interruption interruption) {
    final Model model = new Model(pattern, costs);
    try (Progress progress = Progress.beginSteps("play", settings())) {
      for (final long buffer : buffers.reversed()) {
        for (final long threshold : THRESHOLDS.reversed()) {
          if (interruption.isRequested()) {
            return;
          }
          outcomes.add(model.play(new Setting(threshold, buffer)));
          progress.add(1);
        }
      }
    }
  }

  int settings() {
    return THRESHOLDS.size() * buffers.size();
  }

  boolean isComplete() {
    return outcomes.size() == settings();
  }

  Optional<Outcome> find(final Setting setting) {
    return outcomes.stream().filter(outcome -> outcome.setting().equals(setting)).findFirst();
  }

  Pattern pattern() {
    return pattern;
  }

  NodeCosts costs() {
    return costs;
  }

  Outcome plain() {
    return plain;
  }

  List<Long> buffers() {
    return buffers;
  }

  static List<Long> thresholds() {
    return THRESHOLDS;
  }

  List<Outcome> outcomes() {
    return outcomes;
  }
}
