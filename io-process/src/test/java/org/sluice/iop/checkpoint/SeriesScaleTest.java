package org.sluice.iop.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What {@code scripts/bench series} says of a thousand nodes holds of some hundreds as well. */
class SeriesScaleTest {
  private static final int NODES = 400;
  private static final int CHECKPOINTS = 14;
  private static final int LEARNT = 6;

  @Test
  void aCheckpointIsCommittedWithinASecondForLittleMoreThanOneRequestOfEachNode() {
    for (final ScaleEngine.Storage one : List.of(SeriesScale.OBJECTS, SeriesScale.DIRECTORY)) {
      final SeriesScale scale = new SeriesScale(one, NODES, 8, CHECKPOINTS, 10, false, 20).run();
      assertThat(scale.commit(0)).isBetween(0.0, 1.0);
      assertThat(scale.requests(LEARNT, CHECKPOINTS)).isBetween(1.0, 1.3);
    }
  }

  @Test
  void whoWaitsIsToldSoon() {
    final SeriesScale scale = new SeriesScale(SeriesScale.OBJECTS, NODES, 8, 3, 10, true, 20).run();
    assertThat(scale.told(0)).isBetween(0.0, 2.0);
  }

  /** Those that a large simulation has do not read what they are answered. */
  @Test
  void lightNodesSendTheRequestsOfRealOnes() {
    assertThat(requests(1)).isCloseTo(requests(60), within(0.05));
  }

  private static double requests(final int real) {
    return new SeriesScale(SeriesScale.DIRECTORY, 60, 8, 8, 3, false, real).run().requests(0, 8);
  }
}
