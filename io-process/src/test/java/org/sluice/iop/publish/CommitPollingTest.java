package org.sluice.iop.publish;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CommitPollingTest {
  private final CommitPolling.Wait wait = new CommitPolling.Wait();

  @Test
  void aNodeWhoseLooksAtTheLogFailLooksAtThePartsAsWell() {
    final CommitPolling looks = new CommitPolling(false, 2, wait, 0);
    int looksAtLog = 0;
    while (!looks.isAtParts() && looksAtLog < 100) {
      looks.inVain(looks.due(), true);
      looksAtLog++;
    }
    assertThat(looksAtLog).isLessThan(10);
  }

  /** How long storage was away says nothing of how long the other nodes take. */
  @Test
  void aFailureIsNoTimeThatACheckpointTook() {
    final CommitPolling looks = new CommitPolling(false, 2, wait, 0);
    looks.inVain(looks.due(), true);
    looks.found(TimeUnit.MINUTES.toNanos(1));
    assertThat(new CommitPolling(false, 2, wait, 0).due())
        .isLessThanOrEqualTo(TimeUnit.SECONDS.toNanos(1));
  }
}
