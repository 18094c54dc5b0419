package org.sluice.iop.wave.protocol.pcl;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StopSpotTest {
  @Test
  void ranksLoseAQuarterOfTheirTimeAtMostToStandingForNothing() {
    final StopSpot standstill = new StopSpot(60_000_000_000L);
    for (int wave = 0; wave < 20; wave++) {
      final long stood = standstill.hold();
      assertThat(standstill.stood()).isEqualTo(3 * stood);
    }
    assertThat(standstill.hold()).isEqualTo(30_000_000_000L);
  }
}
