package org.sluice.iop.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.core.libc.Errno;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.segment.Layout;
import org.sluice.iop.image.Images;
import org.sluice.iop.journal.Entry;

/** Processes that wait for a checkpoint. */
class WaitersTest {
  private static final long NUMBER = 7;
  private static final Entry.Ended FAILURE = new Entry.Ended(1, NUMBER, Errno.EIO, "the disk");

  private final CheckpointState state = new CheckpointState(new Images(Layout.CONTAINER));
  private final List<Long> asked = new ArrayList<>();
  private final List<Reply> replies = new ArrayList<>();
  private boolean committedEarlier;
  private final Waiters waiters =
      new Waiters(
          number -> {
            asked.add(number);
            return committedEarlier;
          },
          state);

  private void await(final boolean written) {
    waiters.add(new Request.Await(NUMBER, 60_000), written, replies::add);
  }

  private void fail(final int writing) {
    state.apply(FAILURE);
    waiters.ended(FAILURE, writing);
    waiters.failed(FAILURE, writing);
  }

  @Test
  void whoWaitsIsToldHowTheCommitFailed() {
    waiters.begun(NUMBER);
    await(false);
    fail(waiters.writing(NUMBER));
    await(false);
    assertThat(replies).hasSize(2).allMatch(reply -> reply instanceof Reply.Failed);
  }

  @Test
  void theFailureOfAnOlderCommitAnswersNobodyWhoWaitsForANewerOne() {
    waiters.begun(NUMBER);
    final int older = waiters.writing(NUMBER);
    waiters.begun(NUMBER);
    await(false);
    fail(older);
    await(false);
    assertThat(replies).isEmpty();
    waiters.committed(NUMBER, waiters.writing(NUMBER));
    waiters.answer(NUMBER);
    assertThat(replies).hasSize(2).allMatch(reply -> reply instanceof Reply.Done);
  }

  @Test
  void whatAnEarlierSessionCommittedCounts() {
    committedEarlier = true;
    await(false);
    assertThat(replies).containsExactly(new Reply.Done());
    assertThat(asked).containsExactly(NUMBER);
  }

  /** Storage far away would hold up all other requests of the node. */
  @Test
  void whatIsBeingWrittenHasNoOlderCommitToAskStorageFor() {
    committedEarlier = true;
    await(true);
    assertThat(replies).isEmpty();
    assertThat(asked).isEmpty();
    waiters.committed(NUMBER, waiters.writing(NUMBER));
    waiters.answer(NUMBER);
    assertThat(replies).containsExactly(new Reply.Done());
  }

  @Test
  void whoWaitsIsAnsweredByTheCommitUnderWayThatHasMoreFiles() {
    waiters.begun(NUMBER);
    final int underWay = waiters.writing(NUMBER);
    await(true);
    waiters.committed(NUMBER, waiters.writing(NUMBER));
    waiters.grown(NUMBER, true);
    waiters.answer(NUMBER);
    assertThat(replies).isEmpty();
    waiters.committed(NUMBER, underWay);
    waiters.answer(NUMBER);
    assertThat(replies).containsExactly(new Reply.Done());
  }
}
