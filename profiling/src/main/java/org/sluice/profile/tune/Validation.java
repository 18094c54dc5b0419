package org.sluice.profile.tune;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.sluice.core.command.Progress;
import org.sluice.profile.Interruption;
import org.sluice.profile.replay.Place;
import org.sluice.profile.replay.Replay;
import org.sluice.profile.replay.ReplayResult;
import org.sluice.profile.replay.Scratch;
import org.sluice.profile.trace.Trace;

/**
 * Replays the recommended setting, its neighbours and plain writes, to see if the model is right.
 */
final class Validation {
  private static final int ROUNDS = 3;
  private static final long MOST_BYTES = 2L << 30;
  private static final int BUFFERS_OF_A_PAUSE = 2;

  /** A neighbour is better than what the model chose only if it is so by more than noise. */
  private static final double CLEARLY = 0.85;

  /**
   * A setting, modelled and measured.
   *
   * @param modelled what the model says
   * @param nanos how long the slowest process was in its calls, the median of the rounds
   */
  record Check(Outcome modelled, double nanos) {}

  private final List<Check> checks = new ArrayList<>();

  private Validation() {}

  static boolean isTooLarge(final Pattern pattern) {
    return pattern.isCut() || pattern.bytes() > MOST_BYTES;
  }

  /**
   * Replays. The settings take turns, so that what disturbs one disturbs them all.
   *
   * @param interruption once requested, there is nothing: a round that is not complete misleads
   */
  static Validation of(
      final Tuning tuning, final Trace trace, final Path directory, final Interruption interruption)
      throws IOException {
    final List<Outcome> candidates = candidates(tuning);
    final double[][] nanos = new double[candidates.size()][ROUNDS];
    try (Scratch copy = new Scratch(directory);
        Progress progress =
            Progress.begin("replay", candidates.size() * ROUNDS * tuning.pattern().bytes())) {
      final Replay replay = Replay.of(trace, copy, Optional.of(longestPause(tuning)));
      for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < candidates.size(); i++) {
          final ReplayResult result =
              replay(replay, candidates.get(i).setting(), directory, progress, interruption);
          if (interruption.isRequested()) {
            return new Validation();
          }
          nanos[i][round] = result.returnNanos();
        }
      }
    }
    final Validation validation = new Validation();
    for (int i = 0; i < nanos.length; i++) {
      Arrays.sort(nanos[i]);
      validation.checks.add(new Check(candidates.get(i), nanos[i][ROUNDS / 2]));
    }
    return validation;
  }

  /** Plain writes first, then what is recommended, then its neighbours. */
  private static List<Outcome> candidates(final Tuning tuning) {
    final Setting chosen = Recommendation.of(tuning.outcomes(), tuning.plain()).chosen().setting();
    final List<Outcome> candidates = new ArrayList<>(List.of(tuning.plain()));
    tuning.find(chosen).ifPresent(candidates::add);
    for (final int step : new int[] {-1, 1}) {
      final Long threshold = neighbour(Tuning.thresholds(), chosen.threshold(), step);
      final Long buffer = neighbour(tuning.buffers(), chosen.buffer(), step);
      if (threshold != null) {
        tuning.find(new Setting(threshold, chosen.buffer())).ifPresent(candidates::add);
      }
      if (buffer != null) {
        tuning.find(new Setting(chosen.threshold(), buffer)).ifPresent(candidates::add);
      }
    }
    return candidates;
  }

  private static Long neighbour(final List<Long> all, final long value, final int step) {
    final int index = all.indexOf(value) + step;
    return index < 0 || index >= all.size() ? null : all.get(index);
  }

  /** Longer ones change nothing: by then the largest buffer is empty. */
  private static Duration longestPause(final Tuning tuning) {
    final double seconds = tuning.buffers().getLast() / tuning.costs().drainBytesPerSecond();
    return Duration.ofMillis(Math.round(1000 * BUFFERS_OF_A_PAUSE * seconds));
  }

  private static ReplayResult replay(
      final Replay replay,
      final Setting setting,
      final Path directory,
      final Progress progress,
      final Interruption interruption)
      throws IOException {
    try (Scratch scratch = new Scratch(directory)) {
      final Place place =
          setting.equals(Setting.PLAIN)
              ? Place.plain(scratch)
              : Place.through(
                  scratch,
                  scratch,
                  List.of(
                      "--layout=container",
                      "--threshold=" + setting.thresholdOption(),
                      "--buffer=" + setting.buffer()));
      return replay.run(place, progress, interruption);
    }
  }

  /** As many as there was time for: all or none. */
  List<Check> checks() {
    return List.copyOf(checks);
  }

  /** A neighbour that was clearly faster than the recommended setting. */
  Optional<Check> better() {
    return checks.stream()
        .skip(2)
        .filter(check -> check.nanos() < checks.get(1).nanos() * CLEARLY)
        .min((one, other) -> Double.compare(one.nanos(), other.nanos()));
  }

  /** What the replay says of the advice. */
  String sentence() {
    final double plain = checks.get(0).nanos();
    final double chosen = checks.get(1).nanos();
    return better()
        .map(
            check ->
                "In the replay %s with %s was faster than what the model chose, %.1f against %.1f ms: take that."
                    .formatted(
                        check.modelled().setting().thresholdOption(),
                        check.modelled().setting().bufferText(),
                        check.nanos() / 1e6,
                        chosen / 1e6))
        .orElse(
            chosen < plain
                ? "The replay bears it out: %.1f ms against %.1f ms of plain writes."
                    .formatted(chosen / 1e6, plain / 1e6)
                : "The replay does not bear it out: %.1f ms against %.1f ms of plain writes; leave the writes plain."
                    .formatted(chosen / 1e6, plain / 1e6));
  }

  /** What to set in place of what the model chose; nothing when plain writes were faster. */
  Optional<Setting> settle(final Setting chosen) {
    if (better().isPresent()) {
      return better().map(check -> check.modelled().setting());
    }
    return checks.get(1).nanos() < checks.get(0).nanos() ? Optional.of(chosen) : Optional.empty();
  }
}
