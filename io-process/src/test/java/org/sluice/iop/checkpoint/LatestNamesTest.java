package org.sluice.iop.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.sluice.core.posix.PosixException;
import org.sluice.iop.image.ImageKey;

class LatestNamesTest {
  private long time = 1000;
  private int walks;

  private final LatestNames names =
      new LatestNames(
          () -> {
            time += 5;
            walks++;
            return Map.of(new ImageKey(1, walks), List.of("name"));
          },
          () -> time);

  @Test
  void aListServesAllForTenTimesAsLongAsItTook() throws PosixException {
    for (int look = 0; look < 100; look++) {
      names.ofLate();
    }
    assertThat(walks).isEqualTo(1);
    time += 5 * LatestNames.SHARE;
    assertThat(names.ofLate()).containsKey(new ImageKey(1, 2));
  }

  @Test
  void whatIsToBeExactIsListedAndNoOlderOneIsGivenBehindIt() throws PosixException {
    names.ofLate();
    assertThat(names.now()).containsKey(new ImageKey(1, 2));
    assertThat(names.ofLate()).containsKey(new ImageKey(1, 2));
  }
}
