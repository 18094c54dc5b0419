package org.sluice.iop.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class IntervalsTest {
  private static final long SECOND = 1_000_000_000;
  private static final double NANO = 1e-9;

  private final Intervals intervals = new Intervals();

  private void add(final long start, final long end) {
    intervals.add(start * SECOND, end * SECOND);
  }

  @Test
  void whatOverlapsCountsOnce() {
    add(10, 20);
    add(15, 25);
    add(30, 31);
    add(12, 13);
    assertThat(intervals.seconds()).isEqualTo(16, within(NANO));
    add(5, 40);
    assertThat(intervals.seconds()).isEqualTo(35, within(NANO));
  }

  @Test
  void theSumOfManyIsKept() {
    for (long i = 0; i < 100_000; i++) {
      add(3 * i, 3 * i + 1);
    }
    assertThat(intervals.seconds()).isEqualTo(100_000, within(NANO));
    add(0, 1);
    assertThat(intervals.seconds()).as("again, long ago").isEqualTo(100_000, within(NANO));
    add(300_000, 300_002);
    assertThat(intervals.seconds()).isEqualTo(100_002, within(NANO));
  }

  @Test
  void aUnionOfManyIsAddedAsAWhole() {
    for (long i = 0; i < 1000; i++) {
      add(3 * i, 3 * i + 1);
    }
    final Intervals total = new Intervals();
    total.addAll(intervals);
    assertThat(total.seconds()).isEqualTo(1000, within(NANO));
  }

  private static Intervals many(final long first, final long step, final long length) {
    final Intervals intervals = new Intervals();
    for (long i = 0; i < 1000; i++) {
      intervals.add((first + step * i) * SECOND, (first + step * i + length) * SECOND);
    }
    return intervals;
  }

  @Test
  void whatOverlapsInTwoUnionsOfManyCountsOnce() {
    final Intervals both = many(0, 3, 1);
    both.addAll(many(0, 3, 1));
    assertThat(both.seconds()).as("two files at a time").isEqualTo(1000, within(NANO));
    both.addAll(many(10_000, 3, 2));
    assertThat(both.seconds()).as("and one later").isEqualTo(3000, within(NANO));
  }

  @Test
  void aLongIntervalOverManyCountsOnce() {
    final Intervals both = new Intervals();
    both.add(0, 4000 * SECOND);
    both.addAll(many(0, 3, 1));
    assertThat(both.seconds()).isEqualTo(4000, within(NANO));
  }
}
