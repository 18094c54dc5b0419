package org.sluice.iop.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.iop.image.Images;

/** Processes that wait for a checkpoint. */
class WaitersTest {
  private static final long NUMBER = 7;
  private static final Request.Await WAIT = new Request.Await(NUMBER, 60_000);

  private final List<Long> asked = new ArrayList<>();
  private final List<Reply> replies = new ArrayList<>();
  private final Waiters waiters =
      new Waiters(
          number -> {
            asked.add(number);
            return true;
          },
          new CheckpointState(new Images(false)));

  @Test
  void whatAnEarlierSessionCommittedCounts() {
    waiters.add(WAIT, false, replies::add);
    assertThat(replies).containsExactly(new Reply.Done());
    assertThat(asked).containsExactly(NUMBER);
  }

  /** Storage far away would hold up all other requests of the node. */
  @Test
  void whatIsBeingWrittenHasNoOlderCommitToAskStorageFor() {
    waiters.add(WAIT, true, replies::add);
    assertThat(replies).isEmpty();
    assertThat(asked).isEmpty();
    waiters.committed(NUMBER, waiters.writing(NUMBER));
    waiters.answer(NUMBER);
    assertThat(replies).containsExactly(new Reply.Done());
  }
}
