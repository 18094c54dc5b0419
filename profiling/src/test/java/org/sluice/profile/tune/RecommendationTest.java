package org.sluice.profile.tune;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.profile.replay.ReplayResult;

/** One word at the end, by what the replays took. */
class RecommendationTest {
  private static final long MIB = 1 << 20;
  private static final Setting LARGE = new Setting(Long.MAX_VALUE, 64 * MIB);
  private static final Setting MIDDLE = new Setting(Long.MAX_VALUE, 32 * MIB);
  private static final Setting DIRECT = new Setting(MIB, 32 * MIB);
  private static final Setting SMALL = new Setting(Long.MAX_VALUE, 8 * MIB);

  @Test
  void takesTheSmallestBufferThatIsNearlyAsFast() {
    final Recommendation recommendation =
        Recommendation.of(
            List.of(
                trial(Setting.PLAIN, 100, 90, 110),
                trial(LARGE, 10, 9, 30),
                trial(MIDDLE, 10.4),
                trial(DIRECT, 10.3),
                trial(SMALL, 50)));
    assertThat(recommendation.setting()).contains(MIDDLE);
    assertThat(recommendation.millis()).contains(10.4);
    assertThat(recommendation.reason())
        .isEqualTo(
            "Take threshold auto and buffer 32M: the processes are in their writes for 10.4 ms, 9.6"
                + " times less than the 100.0 ms of plain writes; threshold auto and buffer 64M"
                + " gains only 0.4 ms.");
  }

  @Test
  void leavesWritesPlainThatAreFaster() {
    final Recommendation recommendation =
        Recommendation.of(List.of(trial(Setting.PLAIN, 5), trial(LARGE, 6), trial(SMALL, 8)));
    assertThat(recommendation.setting()).isEmpty();
    assertThat(recommendation.reason())
        .isEqualTo(
            "Leave the writes plain: the processes are in them for 5.0 ms, with threshold auto and"
                + " buffer 64M for 6.0 ms.");
  }

  /** A setting that is nearly as fast as the fastest may still be slower than plain writes. */
  @Test
  void recommendsNothingThatIsSlowerThanPlainWrites() {
    assertThat(
            Recommendation.of(
                    List.of(trial(Setting.PLAIN, 10.5), trial(LARGE, 10), trial(SMALL, 10.8)))
                .setting())
        .contains(LARGE);
  }

  private static Trial trial(final Setting setting, final double... millis) {
    final List<ReplayResult> rounds = new ArrayList<>();
    for (final double each : millis) {
      final long calls = Math.round(each * 1e6);
      rounds.add(
          new ReplayResult(
              1,
              1,
              false,
              new ReplayResult.Moments(0, 0, 0, 0),
              new ReplayResult.Costs(calls, 0, 0, 0, -1),
              new ReplayResult.BufferUse(0, 0, 0)));
    }
    return new Trial(setting, rounds);
  }
}
