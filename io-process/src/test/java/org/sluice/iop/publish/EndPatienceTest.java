package org.sluice.iop.publish;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EndPatienceTest {
  @ParameterizedTest
  @CsvSource({
    ", 30000000000",
    "'', 30000000000",
    "soon, 30000000000",
    "-1, 30000000000",
    "0, 0",
    "2.5, 2500000000",
    "7., 7000000000",
    "999999999, 999999999000000000"
  })
  void isInSeconds(final String seconds, final long nanos) {
    assertThat(EndPatience.nanos(seconds)).isEqualTo(nanos);
  }
}
