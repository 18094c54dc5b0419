package org.sluice.bench.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.profile.workload.Workload;

class RatioTest {
  private static final int GAP = 150;

  private final Results results = new Results(8);

  @Test
  void aMedianLiesInTheMiddle() {
    assertThat(Summary.of(List.of(9.0, 1.0, 2.0))).isEqualTo(new Summary(2, 1, 9));
    assertThat(Summary.of(List.of(4.0, 1.0, 2.0, 9.0))).isEqualTo(new Summary(3, 1, 9));
  }

  /** The ratio of the medians would be 1. */
  @Test
  void aRatioIsTheMedianOfPairedRounds() {
    add(Target.POSIX_FRESH, Until.CLOSE, 10, 20, 30);
    add(Target.CONTAINER_AUTO, Until.COMMIT, 30, 10, 20);
    assertThat(Ratio.of(results, Workload.LU, GAP))
        .filteredOn(ratio -> ratio.name().equals("return: fresh / container"))
        .extracting(ratio -> ratio.summary().median())
        .containsExactly(1.5);
    assertThat(Ratio.of(results, Workload.LU, GAP))
        .filteredOn(ratio -> ratio.name().equals("return: fresh / container"))
        .extracting(ratio -> ratio.summary().max())
        .containsExactly(2.0);
  }

  @Test
  void aCheckpointWithSyncSaysNothingOfTheTimeToReturn() {
    final Series series = add(Target.POSIX_FRESH, Until.SYNC, 10);
    assertThat(series.returns()).isEmpty();
    assertThat(series.durables()).containsExactly(10_000.0);
  }

  @Test
  void withoutBothTargetsThereIsNoRatio() {
    add(Target.POSIX_FRESH, Until.CLOSE, 1);
    assertThat(Ratio.of(results, Workload.LU, GAP)).isEmpty();
  }

  private Series add(final Target target, final Until until, final double... seconds) {
    final Series series = results.add(Workload.LU, target, GAP);
    for (final double time : seconds) {
      series.add(until, new Sample(0, time, time, 0, 0, 0, -1));
    }
    return series;
  }
}
