package org.sluice.iop.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When groups are looked at again. */
class RecheckScheduleTest {
  private static final long GROUP = 7;
  private static final long LIMIT = 1000;

  private long now;
  private final RecheckSchedule rechecks = new RecheckSchedule(() -> now);

  private void pass(final long millis) {
    now += TimeUnit.MILLISECONDS.toNanos(millis);
  }

  @Test
  void whatWasLookedAtInVainWaitsTenTimesAsLongAsThatTook() {
    final long began = rechecks.now();
    pass(5);
    assertThat(rechecks.isOver(GROUP, false)).isTrue();
    rechecks.looked(GROUP, began);
    assertThat(rechecks.patience(LIMIT)).as("nobody asked").isEqualTo(LIMIT);
    pass(49);
    assertThat(rechecks.isOver(GROUP, false)).isFalse();
    assertThat(rechecks.due()).isEmpty();
    assertThat(rechecks.patience(LIMIT)).isBetween(1L, 2L);
    pass(1);
    assertThat(rechecks.due()).containsExactly(GROUP);
    assertThat(rechecks.due()).as("once").isEmpty();
    assertThat(rechecks.isOver(GROUP, false)).isTrue();
    assertThat(rechecks.patience(LIMIT)).isEqualTo(LIMIT);
  }

  @Test
  void whatJoinsACommittedGroupWaitsForItsCommitAndTenTimesAsLong() {
    final long began = rechecks.now();
    rechecks.committing(GROUP);
    assertThat(rechecks.isOver(GROUP, false)).as("another round").isTrue();
    assertThat(rechecks.isOver(GROUP, true)).isFalse();
    pass(100_000);
    assertThat(rechecks.due()).isEmpty();
    assertThat(rechecks.patience(LIMIT)).isEqualTo(LIMIT);
    rechecks.committed(GROUP, began);
    pass(999_999);
    assertThat(rechecks.due()).isEmpty();
    assertThat(rechecks.wanted()).containsExactly(GROUP);
    pass(1);
    assertThat(rechecks.due()).containsExactly(GROUP);
    assertThat(rechecks.isOver(GROUP, true)).isTrue();
  }

  @Test
  void pausesEndAtOnceWhereThatIsAskedFor() {
    rechecks.committing(GROUP);
    assertThat(rechecks.isOver(GROUP, true)).isFalse();
    rechecks.end(GROUP);
    assertThat(rechecks.isOver(GROUP, true)).isTrue();
    assertThat(rechecks.wanted()).isEmpty();
    assertThat(rechecks.due()).isEmpty();
  }
}
