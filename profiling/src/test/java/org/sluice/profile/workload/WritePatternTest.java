package org.sluice.profile.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.sluice.profile.trace.Write;

class WritePatternTest {
  /** One write more or less of a class, of LU's 975. */
  private static final double ONE_WRITE_PERCENT = 100.0 / 975;

  /** What the published percentages are rounded to, and one page more or less. */
  private static final double ROUNDING_PERCENT = 0.025;

  @Test
  void luHasThePublishedHistogram() {
    final List<Long> sizes = WritePattern.of(Workload.LU);
    final double bytes = sizes.stream().mapToLong(l -> l).sum();
    for (final SizeClass sizeClass : SizeClass.published()) {
      final List<Long> inside =
          sizes.stream().filter(size -> size >= sizeClass.from() && size < sizeClass.to()).toList();
      assertThat(100.0 * inside.size() / sizes.size())
          .as("writes of %s", sizeClass)
          .isCloseTo(sizeClass.percentOfWrites(), within(ONE_WRITE_PERCENT));
      assertThat(100 * inside.stream().mapToLong(l -> l).sum() / bytes)
          .as("bytes of %s", sizeClass)
          .isCloseTo(sizeClass.percentOfData(), within(ROUNDING_PERCENT));
    }
  }

  @ParameterizedTest
  @EnumSource
  void totalsAreThePublishedOnes(final Workload workload) {
    final List<Long> sizes = WritePattern.of(workload);
    assertThat(sizes).hasSize(workload.writes());
    assertThat(sizes.stream().mapToLong(l -> l).sum())
        .isCloseTo(workload.imageLength(), within((long) WritePattern.PAGE));
  }

  @ParameterizedTest
  @EnumSource
  void isTheSameEveryTime(final Workload workload) {
    assertThat(WritePattern.of(workload)).isEqualTo(WritePattern.of(workload));
  }

  @Test
  void beginsAsBlcrDoes() {
    final List<Long> sizes = WritePattern.of(Workload.LU);
    assertThat(sizes.getFirst()).isEqualTo(20);
    final int signals = Collections.indexOfSubList(sizes, Collections.nCopies(64, 32L));
    final int area = sizes.indexOf(40L);
    assertThat(signals).isBetween(2, area);
  }

  @Test
  void ranksWriteTheSameToFilesOfTheirOwn() {
    final List<Write> writes = read(Workload.LU.checkpoint(2));
    assertThat(writes).hasSize(2 * Workload.LU.writes());
    assertThat(writes).extracting(Write::file).containsOnly("rank-0.img", "rank-1.img");
    assertThat(writes.subList(0, writes.size() / 2))
        .extracting(Write::size)
        .isEqualTo(
            writes.subList(writes.size() / 2, writes.size()).stream().map(Write::size).toList());
  }

  @Test
  void aCheckpointOfAnotherSizeIsTheSameWritesAgain() {
    final List<Long> once = WritePattern.of(Workload.LU);
    final GeneratedTrace twice = Workload.LU.checkpoint(2, 4 * sum(once));
    assertThat(twice.bytes()).isEqualTo(4 * sum(once));
    assertThat(twice.sizes().get().boxed().toList().subList(once.size(), 2 * once.size()))
        .isEqualTo(once);
    assertThat(Workload.LU.checkpoint(2, 2002).sizes().get().sum()).isEqualTo(1001);
  }

  @Test
  void equalWritesCoverAtLeastWhatWasAskedAndLeaveGaps() {
    assertThat(GeneratedTrace.equal(1, 2_500_000, 1 << 20, 0).bytes()).isEqualTo(3 << 20);
    assertThat(read(GeneratedTrace.equal(2, 500, 64, 64)))
        .extracting(Write::offset)
        .containsExactly(0L, 128L, 256L, 384L, 0L, 128L, 256L, 384L);
  }

  private static long sum(final List<Long> sizes) {
    return sizes.stream().mapToLong(Long::longValue).sum();
  }

  private static List<Write> read(final GeneratedTrace trace) {
    final List<Write> writes = new ArrayList<>();
    trace.read(writes::add);
    return writes;
  }
}
