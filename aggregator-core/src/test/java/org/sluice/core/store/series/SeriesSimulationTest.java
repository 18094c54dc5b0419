package org.sluice.core.store.series;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random histories of a series, over the very classes that run. {@code -Dseries.histories} says how
 * many, {@code -Dseries.seed} with which one they begin.
 */
class SeriesSimulationTest {
  private static final int HISTORIES = Integer.getInteger("series.histories", 80);
  private static final long SEED = Long.getLong("series.seed", 0);

  @Test
  void noHistoryBreaksAnything() {
    assertThat(broken(HISTORIES, null)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(Rule.class)
  void withoutARuleSomethingBreaks(final Rule rule) {
    assertThat(broken(1500, rule)).isNotEmpty();
  }

  /** What broke, with the first seed that did. */
  private static Map<String, Long> broken(final int histories, final Rule leftOut) {
    final Map<String, Long> broken = new TreeMap<>();
    for (long seed = SEED; seed < SEED + histories; seed++) {
      try {
        new SeriesHistory(seed, leftOut).run();
      } catch (final SeriesCheck.Broken e) {
        broken.putIfAbsent(e.getMessage(), seed);
        if (leftOut != null) {
          break;
        }
      }
    }
    return broken;
  }
}
