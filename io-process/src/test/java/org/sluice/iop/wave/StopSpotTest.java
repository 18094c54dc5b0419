package org.sluice.iop.wave;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StopSpotTest {
  @Test
  void ranksLoseAQuarterOfTheirTimeAtMostToStandingForNothing() {
    final StopSpot standstill = new StopSpot(60_000_000_000L);
    assertThat(standstill.takeRest()).isZero();
    for (int wave = 0; wave < 20; wave++) {
      final long stood = standstill.hold();
      standstill.stood();
      assertThat(standstill.takeRest()).isEqualTo(3 * stood);
      assertThat(standstill.takeRest()).as("of a checkpoint that ended otherwise").isZero();
    }
    assertThat(standstill.hold()).isEqualTo(30_000_000_000L);
  }
}
