package org.sluice.profile.tune;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The setting to take, and why. The setting has the smallest buffer among those that are nearly as
 * fast as the fastest in the replays.
 *
 * @param setting the setting; empty to leave the writes plain
 * @param millis its time in the replays, empty when nothing was replayed
 */
record Recommendation(Optional<Setting> setting, Optional<Double> millis, String reason) {
  private static final double NEARLY = 1.1;

  static Recommendation unmeasured(final Setting setting) {
    return new Recommendation(
        Optional.of(setting),
        Optional.empty(),
        ("Take threshold %s and buffer %s, which holds all that is written without a pause. Nothing"
                + " was replayed, so whether it pays is not known.")
            .formatted(setting.thresholdOption(), setting.bufferText()));
  }

  /**
   * @param trials trials of plain writes first, then of at least one setting
   */
  static Recommendation of(final List<Trial> trials) {
    final double plain = trials.getFirst().millis();
    final List<Trial> settings = trials.subList(1, trials.size());
    final Trial fastest =
        settings.stream().min(Comparator.comparingDouble(Trial::millis)).orElseThrow();
    if (fastest.millis() >= plain) {
      return new Recommendation(
          Optional.empty(),
          Optional.of(plain),
          "Leave the writes plain: the processes are in them for %.1f ms, with %s for %.1f ms."
              .formatted(plain, words(fastest.setting()), fastest.millis()));
    }
    final Trial chosen =
        settings.stream()
            .filter(trial -> trial.millis() <= Math.min(plain, fastest.millis() * NEARLY))
            .min(
                Comparator.comparingLong((Trial trial) -> trial.setting().buffer())
                    .thenComparing(trial -> -trial.setting().threshold()))
            .orElseThrow();
    return new Recommendation(
        Optional.of(chosen.setting()),
        Optional.of(chosen.millis()),
        "Take %s: the processes are in their writes for %.1f ms, %.1f times less than the %.1f ms of plain writes%s."
            .formatted(
                words(chosen.setting()),
                chosen.millis(),
                plain / chosen.millis(),
                plain,
                chosen == fastest
                    ? ""
                    : "; %s gains only %.1f ms"
                        .formatted(words(fastest.setting()), chosen.millis() - fastest.millis())));
  }

  private static String words(final Setting setting) {
    return "threshold %s and buffer %s".formatted(setting.thresholdOption(), setting.bufferText());
  }
}
