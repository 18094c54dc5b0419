package org.sluice.profile.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class WritePatternTest {
  /** One write more or less of a class, of LU's 975. */
  private static final double ONE_WRITE_PERCENT = 100.0 / 975;

  /** What the published percentages are rounded to, and one page more or less. */
  private static final double ROUNDING_PERCENT = 0.025;

  @Test
  void luHasThePublishedHistogram() {
    final List<Long> sizes = sizes(WritePattern.of(Workload.LU));
    final double bytes = sizes.stream().mapToLong(l -> l).sum();
    for (final SizeClass sizeClass : SizeClass.published()) {
      final List<Long> inside = sizes.stream().filter(sizeClass::has).toList();
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
    final WritePattern pattern = WritePattern.of(workload);
    assertThat(pattern.writes()).hasSize(workload.writes());
    assertThat(pattern.imageLength())
        .isCloseTo(workload.imageLength(), within((long) WritePattern.PAGE));
  }

  @ParameterizedTest
  @EnumSource
  void isTheSameEveryTime(final Workload workload) {
    assertThat(WritePattern.of(workload)).isEqualTo(WritePattern.of(workload));
  }

  @Test
  void beginsAsBlcrDoes() {
    final List<Long> sizes = sizes(WritePattern.of(Workload.LU));
    assertThat(sizes.getFirst()).isEqualTo(20);
    final int signals = Collections.indexOfSubList(sizes, Collections.nCopies(64, 32L));
    final int area = sizes.indexOf(40L);
    assertThat(signals).isBetween(2, area);
  }

  @ParameterizedTest
  @EnumSource
  void takesEveryByteOfMemoryOnceAndRunsFromWholePages(final Workload workload) {
    final WritePattern pattern = WritePattern.of(workload);
    final List<WritePattern.Write> writes = new ArrayList<>(pattern.writes());
    writes.sort((a, b) -> Long.compare(a.offset(), b.offset()));
    long end = 0;
    for (final WritePattern.Write write : writes) {
      assertThat(write.offset()).isBetween(end, end + WritePattern.PAGE - 1);
      assertThat(write.length() < WritePattern.PAGE || write.offset() % WritePattern.PAGE == 0)
          .as("%s begins on a page", write)
          .isTrue();
      end = write.offset() + write.length();
    }
    assertThat(pattern.memoryLength()).isEqualTo(end);
  }

  @Test
  void blocksCoverAtLeastWhatWasAsked() {
    assertThat(WritePattern.blocks(2_500_000, 1 << 20).imageLength()).isEqualTo(3 << 20);
  }

  @Test
  void theFileHasALineForEachWrite(@TempDir final Path directory) throws IOException {
    final Path file = directory.resolve("pattern");
    WritePattern.blocks(8192, 4096).save(file);
    assertThat(Files.readAllLines(file)).containsExactly("8192 2 0", "0 4096", "4096 4096");
  }

  private static List<Long> sizes(final WritePattern pattern) {
    return pattern.writes().stream().map(WritePattern.Write::length).toList();
  }
}
