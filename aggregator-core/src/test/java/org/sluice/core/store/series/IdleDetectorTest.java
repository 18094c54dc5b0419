package org.sluice.core.store.series;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What processes say by clocks that are an hour off. */
class IdleDetectorTest {
  private static final Duration REST = Duration.ofMillis(300);
  private static final Instant LONG_AGO = Instant.EPOCH.plusSeconds(1000);
  private static final Instant TO_COME = Instant.now().plusSeconds(3600);

  private final long began = System.nanoTime();
  private final IdleDetector<String> stillness = new IdleDetector<>(this::sign, REST);

  /** What is used changes every few milliseconds. */
  private Object sign(final String thing) {
    final Instant base = thing.endsWith("ago") ? LONG_AGO : TO_COME;
    return thing.startsWith("used")
        ? base.plusMillis((System.nanoTime() - began) / 20_000_000)
        : base;
  }

  @Test
  void whatIsUsedStaysWhateverItsClockSays() throws IOException {
    assertThat(
            stillness.await(List.of("used long ago", "used to come", "left ago", "left to come")))
        .isEqualTo(Set.of("left ago", "left to come"));
  }

  @Test
  void theFirstLookTellsNothing() throws Exception {
    assertThat(stillness.is("left ago")).isFalse();
    TimeUnit.NANOSECONDS.sleep(REST.toNanos());
    assertThat(stillness.is("left ago")).isTrue();
    assertThat(stillness.is("used long ago")).isFalse();
  }

  @Test
  void nobodyWaitsForWhatIsUsed() throws IOException {
    final IdleDetector<String> patient = new IdleDetector<>(this::sign, Duration.ofHours(1));
    assertThat(patient.await(List.of("used long ago"))).isEmpty();
  }
}
