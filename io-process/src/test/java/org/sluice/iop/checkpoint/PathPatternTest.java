package org.sluice.iop.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PathPatternTest {
  private static PathPattern pattern(final String regex) {
    return new PathPattern(Pattern.compile(regex));
  }

  private static OptionalLong optional(final Long value) {
    return value == null ? OptionalLong.empty() : OptionalLong.of(value);
  }

  @ParameterizedTest
  @CsvSource({
    "'ckpt-(\\d+)', ckpt-7, 7",
    "'a(\\d+)|b(\\d+)', a5, 5",
    "'a(\\d+)|b(\\d+)', b6, 6",
    "'a(\\d+)|b(\\d+)|c-(\\d+)', c-7, 7",
    "'(?:old/(\\d+))?new/(\\d+)', old/1new/2, 1",
    "'(?:old/(\\d+))?new/(\\d+)', new/2, 2",
    "'a(\\d+)|b(\\d+)', c6,",
    "'a|b(\\d+)', a,",
    "'a(\\w+)|b(\\d+)', ax,",
  })
  void theFirstGroupThatTookPartNumbersTheCheckpoint(
      final String regex, final String path, final Long number) {
    assertEquals(optional(number), pattern(regex).number(path));
  }

  @ParameterizedTest
  @CsvSource({
    "'r(?<rank>\\d+)-a(\\d+)|b(\\d+)', r3-a5, 5, 3",
    "'r(?<rank>\\d+)-a(\\d+)|b(\\d+)', b6, 6,",
    "'b(\\d+)|a(\\d+)-r(?<rank>\\d+)', a5-r3, 5, 3",
    "'b(\\d+)|a(\\d+)-r(?<rank>\\d+)', b6, 6,",
    "'r(?<rank>\\d+)', r3, 1, 3",
  })
  void theGroupCalledRankTellsTheRankWhereverItStands(
      final String regex, final String path, final Long number, final Long rank) {
    assertEquals(optional(number), pattern(regex).number(path));
    assertEquals(optional(rank), pattern(regex).rank(path));
  }

  @Test
  void whatHasNoGroupButRankNumbersNothing() {
    assertFalse(pattern("r(?<rank>\\d+)").tellsNumbers());
    assertTrue(pattern("r(?<rank>\\d+)|b(\\d+)").tellsNumbers());
    assertFalse(pattern("none").tellsNumbers());
  }
}
