package org.sluice.profile.tune;

import java.util.Comparator;
import java.util.List;
import org.sluice.core.command.SizeConverter;

/**
 * The setting with the smallest buffer that is nearly as fast as the fastest, and why.
 *
 * @param chosen the setting's outcome
 * @param fastest the fastest of all
 * @param plain what the writes cost without Sluice
 */
record Recommendation(Outcome chosen, Outcome fastest, Outcome plain) {
  private static final double NEARLY = 1.05;

  /** Of equally fast thresholds the highest is taken: it leaves the drain the most to merge. */
  static Recommendation of(final List<Outcome> outcomes, final Outcome plain) {
    final Outcome fastest =
        outcomes.stream().min(Comparator.comparingDouble(Outcome::nanos)).orElseThrow();
    final double limit = fastest.nanos() * NEARLY;
    final Outcome chosen =
        outcomes.stream()
            .filter(outcome -> outcome.nanos() <= limit)
            .min(
                Comparator.comparingLong((Outcome o) -> o.setting().buffer())
                    .thenComparing(o -> -o.setting().threshold()))
            .orElseThrow();
    return new Recommendation(chosen, fastest, plain);
  }

  boolean pays() {
    return chosen.nanos() < plain.nanos();
  }

  String sentence() {
    if (!pays()) {
      return "Aggregation does not pay here: plain writes take %s, the best setting %s."
          .formatted(millis(plain), millis(fastest));
    }
    return ("Take threshold %s and buffer %s: the processes are in their writes for %s, %.1f times"
            + " less than the %s of plain writes, and %s.")
        .formatted(
            thresholdOption(),
            chosen.setting().bufferText(),
            millis(chosen),
            plain.nanos() / chosen.nanos(),
            millis(plain),
            comparison());
  }

  private String comparison() {
    return chosen.setting().buffer() == fastest.setting().buffer()
        ? "no larger buffer is more than 5 %% faster".formatted()
        : "%s would gain only %s"
            .formatted(
                SizeConverter.format(fastest.setting().buffer()).replace(".0", ""),
                "%.1f ms".formatted((chosen.nanos() - fastest.nanos()) / 1e6));
  }

  /** As {@code --threshold} takes it. */
  String thresholdOption() {
    return chosen.setting().thresholdOption();
  }

  static String millis(final Outcome outcome) {
    return "%.1f ms".formatted(outcome.nanos() / 1e6);
  }
}
