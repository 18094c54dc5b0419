package org.sluice.core.store.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RankSetTest {
  @ParameterizedTest
  @ValueSource(strings = {"", "0", "7", "0-3", "0-3,8", "1,3,5-6", "16777215"})
  void isReadAsItWasWritten(final String text) {
    assertThat(RankSet.parse(text)).hasValueSatisfying(set -> assertThat(set).hasToString(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "3-1", "a", "1,", ",1", "1 2", "0-16777216", "99999999999"})
  void nonsenseIsNoSet(final String text) {
    assertThat(RankSet.parse(text)).isEmpty();
  }

  @Test
  void leavesUnknownRanksOut() {
    final RankSet set = RankSet.of(IntStream.of(3, -1, 2, 3, 9));
    assertThat(set.list()).containsExactly(2, 3, 9);
    assertThat(set).hasToString("2-3,9").isEqualTo(RankSet.parse("9,2,3").orElseThrow());
    assertThat(set.size()).isEqualTo(3);
    assertThat(RankSet.of(IntStream.of(-1)).isEmpty()).isTrue();
  }
}
