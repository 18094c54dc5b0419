package org.sluice.iop.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When groups are looked at again. */
class RecheckScheduleTest {
  private static final long GROUP = 7;
  private static final long LIMIT = 1000;

  private long now;
  private final RecheckSchedule pauses = new RecheckSchedule(() -> now);

  private void pass(final long millis) {
    now += TimeUnit.MILLISECONDS.toNanos(millis);
  }

  @Test
  void whatWasLookedAtInVainWaitsTenTimesAsLongAsThatTook() {
    final long began = pauses.now();
    pass(5);
    assertThat(pauses.isOver(GROUP, false)).isTrue();
    pauses.looked(GROUP, began);
    assertThat(pauses.patience(LIMIT)).as("nobody asked").isEqualTo(LIMIT);
    pass(49);
    assertThat(pauses.isOver(GROUP, false)).isFalse();
    assertThat(pauses.due()).isEmpty();
    assertThat(pauses.patience(LIMIT)).isBetween(1L, 2L);
    pass(1);
    assertThat(pauses.due()).containsExactly(GROUP);
    assertThat(pauses.due()).as("once").isEmpty();
    assertThat(pauses.isOver(GROUP, false)).isTrue();
    assertThat(pauses.patience(LIMIT)).isEqualTo(LIMIT);
  }

  @Test
  void whatJoinsACommittedGroupWaitsForItsCommitAndTenTimesAsLong() {
    final long began = pauses.now();
    pauses.committing(GROUP);
    assertThat(pauses.isOver(GROUP, false)).as("another round").isTrue();
    assertThat(pauses.isOver(GROUP, true)).isFalse();
    pass(100_000);
    assertThat(pauses.due()).isEmpty();
    assertThat(pauses.patience(LIMIT)).isEqualTo(LIMIT);
    pauses.committed(GROUP, began);
    pass(999_999);
    assertThat(pauses.due()).isEmpty();
    assertThat(pauses.wanted()).containsExactly(GROUP);
    pass(1);
    assertThat(pauses.due()).containsExactly(GROUP);
    assertThat(pauses.isOver(GROUP, true)).isTrue();
  }

  @Test
  void pausesEndAtOnceWhereThatIsAskedFor() {
    pauses.committing(GROUP);
    assertThat(pauses.isOver(GROUP, true)).isFalse();
    pauses.end(GROUP);
    assertThat(pauses.isOver(GROUP, true)).isTrue();
    assertThat(pauses.wanted()).isEmpty();
    assertThat(pauses.due()).isEmpty();
  }
}
