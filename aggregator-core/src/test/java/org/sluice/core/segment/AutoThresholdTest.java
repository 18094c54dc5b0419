package org.sluice.core.segment;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

class AutoThresholdTest {
  @ParameterizedTest
  @CsvFileSource(resources = "/golden/auto-threshold.csv", numLinesToSkip = 1)
  void isTheOneThatTheCClientFinds(
      final long free, final long count, final long chunkLength, final long threshold) {
    assertThat(AutoThreshold.of(free, count, chunkLength)).isEqualTo(threshold);
  }
}
