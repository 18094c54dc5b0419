package org.sluice.core.posix;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import org.junit.jupiter.api.Test;

/** {@link LocalTimes} beside Java's own zones. */
class LocalTimesTest {
  @Test
  void areThoseOfJava() {
    final DateTimeFormatter java =
        DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss").withZone(ZoneId.systemDefault());
    for (long second = 0; second < 4_000_000_000L; second += 9_999_991) {
      final Instant time = Instant.ofEpochSecond(second, 999_999_999);
      assertThat(LocalTimes.seconds(time)).isEqualTo(java.format(time));
      assertThat(LocalTimes.minutes(time)).isEqualTo(java.format(time).substring(0, 16));
    }
  }

  @Test
  void reachToTheLastInstant() {
    assertThat(LocalTimes.seconds(Instant.MAX)).matches("(999999999|1000000000)-.*");
  }
}
