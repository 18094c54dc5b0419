package org.sluice.iop.wave.protocol.pcl;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.sluice.iop.wave.protocol.Verdict;

class WaitTimesTest {
  private static final double MILLI = 1e6;

  /** One rank comes so late that both wait for half of that in the mean, and takes its image. */
  private static Verdict measured(final double waited, final double taking) {
    final WaitTimes times = new WaitTimes(2);
    times.stopped(5);
    times.stopped(5 + (long) (2 * waited * MILLI));
    assertThat(times.verdict()).isEmpty();
    times.goOn(5 + (long) (2 * waited * MILLI));
    times.taken((long) ((2 * waited + taking) * MILLI));
    assertThat(times.verdict()).isEmpty();
    times.taken((long) (taking * MILLI));
    return times.verdict().orElseThrow();
  }

  @Test
  void aJobThatComesToItsSpotsTogetherIsSuited() {
    assertThat(measured(0.9, 0).suits()).isTrue();
    assertThat(measured(9, 100).suits()).isTrue();
  }

  @Test
  void aJobWhoseRanksWaitForEachOtherIsNot() {
    assertThat(measured(1.1, 0).suits()).isFalse();
    assertThat(measured(11, 100).suits()).isFalse();
  }

  @Test
  void bothTimesAreTold() {
    assertThat(measured(20, 100).why())
        .isEqualTo("ranks waited 20.0 ms for each other, and 100.0 ms for their images");
  }
}
