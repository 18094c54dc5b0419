package org.sluice.iop.wave;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SnapshotsTest {
  private final Snapshots snapshots = new Snapshots();

  private void taken(final boolean forked, final boolean toLearn, final int copy, final int fork) {
    snapshots.taken(forked ? 1 : 0, copy * 1_000_000L, fork * 1_000_000L);
    snapshots.tried(toLearn ? 1 : 0);
  }

  @Test
  void aChoiceRestsOnTheTimesThatAreSaid() {
    taken(true, false, 80, 20);
    taken(true, false, 60, 40);
    assertThat(snapshots.said()).isEqualTo("by fork (a copy cost 0.070 s, a fork 0.030 s)");
  }

  @Test
  void aWayThatIsTriedMayBeTheDearerOne() {
    taken(true, true, 10, 90);
    taken(true, true, 10, 70);
    assertThat(snapshots.said())
        .isEqualTo("by fork, to compare again (a copy cost 0.010 s, a fork 0.080 s)");
  }

  @Test
  void meansOfRanksThatChoseUnlikeDecideForNone() {
    taken(true, false, 30, 20);
    taken(false, false, 10, 90);
    assertThat(snapshots.said())
        .isEqualTo(
            "by 1 forks and 1 copies, each rank by its own times (a copy cost 0.020 s, a fork 0.055 s on average)");
  }

  @Test
  void firstWavesCompareNothing() {
    taken(false, true, 0, 0);
    assertThat(snapshots.said()).isEqualTo("by copy");
  }
}
