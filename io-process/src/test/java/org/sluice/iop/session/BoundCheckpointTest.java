package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.core.libc.Errno;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;

/** Checkpoints by request that are bound to the processes which began them. */
class BoundCheckpointTest extends GroupServeTest {
  private static final int BOUND = 1;
  private static final int UNBOUND = 0;

  /** Returns what a rank hears that waits for the other one, which begins and ends. */
  private Reply heardBehindAnEnd(final int bound) throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess zero = rank(serve, 0, 2)) {
      try (RawProcess one = rank(serve, 1, 2)) {
        for (final RawProcess process : List.of(zero, one)) {
          assertThat(process.call(new Request.Begin(7, 2, bound))).isEqualTo(new Reply.Done());
        }
      }
      assertThat(zero.call(new Request.Complete(7, 0))).isEqualTo(new Reply.Done());
      return zero.call(new Request.Await(7, bound == BOUND ? 60_000 : 500));
    }
  }

  @Test
  void isGivenUpWhenAProcessEndsBeforeItsPartIsComplete() throws Exception {
    assertThat(heardBehindAnEnd(BOUND))
        .isInstanceOfSatisfying(
            Reply.Failed.class,
            failed -> {
              assertThat(failed.errno()).isEqualTo(Errno.ECANCELED);
              assertThat(failed.message())
                  .contains("the process of rank 1 ended before its part was complete");
            });
  }

  @Test
  void anyOtherWaitsForTheRankToComeBack() throws Exception {
    assertThat(heardBehindAnEnd(UNBOUND))
        .isInstanceOfSatisfying(
            Reply.Failed.class, failed -> assertThat(failed.errno()).isEqualTo(Errno.ETIMEDOUT));
  }

  @Test
  void anotherProcessOfTheRankIsRefusedWhileTheFirstLives() throws Exception {
    final Process second = new ProcessBuilder("sleep", "1000").start();
    try (ServeProcess serve = serve("container");
        RawProcess zero = rank(serve, 0, 2);
        RawProcess twice = RawProcess.attach(serve.directory(), identity(second), 0, 2)) {
      assertThat(zero.call(new Request.Begin(7, 2, BOUND))).isEqualTo(new Reply.Done());
      assertThat(zero.call(new Request.Begin(7, 2, BOUND))).isEqualTo(new Reply.Done());
      assertThat(twice.call(new Request.Begin(7, 2, BOUND)))
          .isInstanceOfSatisfying(
              Reply.Failed.class, failed -> assertThat(failed.errno()).isEqualTo(Errno.EEXIST));
    } finally {
      second.destroyForcibly();
    }
  }
}
