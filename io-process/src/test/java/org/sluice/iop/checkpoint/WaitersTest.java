package org.sluice.iop.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.core.posix.Errno;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.iop.image.Images;
import org.sluice.iop.journal.Entry;

class WaitersTest {
  private static final long NUMBER = 7;
  private static final Entry.Ended FAILURE = new Entry.Ended(1, NUMBER, Errno.EIO, "the disk");

  private final CheckpointState state = new CheckpointState(new Images(false));
  private final Waiters waiters = new Waiters(any -> false, state);
  private final List<Reply> replies = new ArrayList<>();

  private void await() {
    waiters.add(new Request.Await(NUMBER, 60_000), replies::add);
  }

  private void fail(final int writing) {
    state.apply(FAILURE);
    waiters.ended(FAILURE, writing);
    waiters.failed(FAILURE, writing);
  }

  @Test
  void whoWaitsIsToldHowTheCommitFailed() {
    waiters.begun(NUMBER);
    await();
    fail(waiters.writing(NUMBER));
    await();
    assertThat(replies).hasSize(2).allMatch(reply -> reply instanceof Reply.Failed);
  }

  @Test
  void theFailureOfAnOlderCommitAnswersNobodyWhoWaitsForANewerOne() {
    waiters.begun(NUMBER);
    final int older = waiters.writing(NUMBER);
    waiters.begun(NUMBER);
    await();
    fail(older);
    await();
    assertThat(replies).isEmpty();
    waiters.committed(NUMBER, waiters.writing(NUMBER));
    waiters.answer(NUMBER);
    assertThat(replies).hasSize(2).allMatch(reply -> reply instanceof Reply.Done);
  }
}
