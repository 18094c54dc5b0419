package org.sluice.bench.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.profile.replay.ReplayResult;
import org.sluice.profile.replay.ReplayRounds.Ending;

class RatioTest {
  private static final Load LU = new Load("LU", 8, 0, 0, Programs.RESIDENT);
  private static final Load LARGE = new Load("LU", 8, 1L << 30, 1L << 29, Programs.RESIDENT);
  private static final String FRESH = "return: posix-fresh / sluice-container-auto";

  private final List<Series> all = new ArrayList<>();

  @Test
  void aMedianLiesInTheMiddle() {
    assertThat(Summary.of(List.of(9.0, 1.0, 2.0))).isEqualTo(new Summary(2, 1, 9));
    assertThat(Summary.of(List.of(4.0, 1.0, 2.0, 9.0))).isEqualTo(new Summary(3, 1, 9));
  }

  /** The ratio of the medians would be 1. */
  @Test
  void aRatioIsTheMedianOfPairedRounds() {
    add(LU, "posix-fresh", Ending.CLOSE, 10, 20, 30);
    add(LU, "sluice-container-auto", Ending.COMMIT, 30, 10, 20);
    assertThat(Ratio.of(all))
        .filteredOn(ratio -> ratio.name().equals(FRESH))
        .extracting(Ratio::summary)
        .containsExactly(new Summary(1.5, 1.0 / 3, 2));
  }

  @Test
  void aCheckpointWithSyncSaysNothingOfTheTimeToReturn() {
    add(LU, "posix-fresh", Ending.SYNC, 10);
    assertThat(all.getFirst().get(Figure.RETURN)).isEmpty();
    assertThat(all.getFirst().get(Figure.DURABLE)).containsExactly(10_000.0);
  }

  @Test
  void withoutBothSystemsThereIsNoRatio() {
    add(LU, "posix-fresh", Ending.CLOSE, 1);
    assertThat(Ratio.of(all)).isEmpty();
  }

  @Test
  void autoIsComparedWithTheExtremesOfItsLayout() {
    add(LU, "sluice-container-1G", Ending.COMMIT, 4);
    add(LU, "sluice-container-auto", Ending.COMMIT, 2);
    add(LU, "sluice-container-64K", Ending.COMMIT, 5);
    add(LU, "sluice-container-4k", Ending.COMMIT, 8);
    add(LU, "sluice-files-1K", Ending.CLOSE, 1);
    assertThat(Ratio.of(all))
        .filteredOn(ratio -> ratio.name().startsWith("return"))
        .extracting(ratio -> ratio.name() + " " + ratio.summary().median())
        .containsExactly(
            "return: sluice-container-auto / sluice-container-4k 0.25",
            "return: sluice-container-auto / sluice-container-1G 0.5");
  }

  @Test
  void theDiskBoundsWhatIsLargerThanTheBuffer() {
    add(LARGE, "odirect-floor", Ending.SYNC, 1);
    add(LARGE, "sluice-container-auto", Ending.COMMIT, 1.125);
    assertThat(Ratio.of(all).getFirst())
        .isEqualTo(
            new Ratio(
                "durable: sluice-container-auto / odirect-floor",
                "<= 1.15",
                new Summary(1.125, 1.125, 1.125)));
  }

  @Test
  void aSystemIsKnownByItsName() {
    assertThat(Storage.named("posix-fast")).isEmpty();
    assertThat(Storage.named("sluice-container-")).isEmpty();
    assertThat(Storage.named("sluice-files-64K").orElseThrow())
        .extracting(Storage::layout, Storage::threshold, Storage::isContainer)
        .containsExactly("files", "64K", false);
    assertThat(Storage.named("posix-overwrite").orElseThrow().overwrites()).isTrue();
  }

  private void add(
      final Load load, final String system, final Ending ending, final double... seconds) {
    final Series series = new Series(load, Storage.named(system).orElseThrow(), 150);
    for (final double time : seconds) {
      final long nanos = Math.round(time * 1e9);
      series.add(
          ending,
          new ReplayResult(
              1,
              1,
              false,
              new ReplayResult.Moments(0, 0, nanos, nanos),
              new ReplayResult.Costs(nanos, 0, 0, 0, -1),
              new ReplayResult.BufferUse(0, 0, 0)));
    }
    all.add(series);
  }
}
