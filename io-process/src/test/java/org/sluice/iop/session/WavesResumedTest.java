package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.iop.wave.protocol.Control;
import org.sluice.iop.wave.protocol.c3.C3;
import org.sluice.iop.wave.protocol.pcl.Pcl;

/** The coordinator of waves in an I/O process that was resumed, and at the end of a session. */
class WavesResumedTest extends WaveServeTest {
  private static final Reply NO_ORDER = new Reply.Order(0, 0, 0, 0, "");

  /** Rank 0 is all that the I/O process sees of the job, and the first to complete. */
  private static void complete(final RawProcess zero, final long wave) throws Exception {
    assertThat(zero.call(new Request.Hold(wave, RANKS))).isEqualTo(new Reply.Done());
    assertThat(zero.call(new Request.Complete(wave, 0))).isEqualTo(new Reply.Done());
  }

  private void commit(final RawProcess zero, final long wave) throws Exception {
    complete(zero, wave);
    assertThat(zero.call(new Request.Complete(wave, 1))).isEqualTo(new Reply.Done());
    bothSay(zero, C3.WRITTEN, wave, longs(5, 2, 4, 1, 0, 0));
    await(() -> log().getLast().contains("\"committed\""));
  }

  /** A node that has not heard of it would hold the images for good. */
  @Test
  void theEndOfAWaveThatAKillMayHaveLostIsOrderedAgain() throws Exception {
    try (ServeProcess killed = serve("container");
        RawProcess zero = RawProcess.attach(killed.directory())) {
      begin(zero, C3.NUMBER);
      commit(zero, 1);
      killed.kill();
      try (ServeProcess resumed = serve("container", "--resume");
          RawProcess again = zero.resume(resumed.directory(), 0)) {
        helloAgain(again, -1);
        expect(again, Control.COMMIT, -1, 1, NOTHING);
        ask();
        expectPlease(again, C3.NUMBER, 2);
        say(again, Control.REFUSED, 0, 2, "no".getBytes(StandardCharsets.UTF_8));
        await(() -> log().getLast().contains("\"given up\""));
        resumed.kill();
        try (ServeProcess third = serve("container", "--resume");
            RawProcess last = again.resume(third.directory(), 0)) {
          helloAgain(last, -1);
          expect(last, Control.COMMIT, -1, 1, NOTHING);
          expect(last, Control.GIVE_UP, -1, 2, NOTHING);
          assertThat(last.call(new Request.Orders())).isEqualTo(NO_ORDER);
        }
      }
    }
  }

  @Test
  void aCheckpointThatWasToBeTriedAgainIsTriedByTheResumedIoProcess() throws Exception {
    try (ServeProcess killed = serve("container");
        RawProcess zero = RawProcess.attach(killed.directory())) {
      begin(zero, Pcl.NUMBER);
      standInVain(zero, 1);
      killed.kill();
      try (ServeProcess resumed = serve("container", "--resume");
          RawProcess again = zero.resume(resumed.directory(), 0)) {
        hello(again, Pcl.NUMBER, -1, 0, PATIENCE, true);
        expect(again, Control.GIVE_UP, -1, 1, NOTHING);
        expectPlease(again, Pcl.NUMBER, 2);
      }
    }
  }

  @Test
  void anIoProcessThatWasResumedIsNoRestartOfTheJob() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess zero = RawProcess.attach(serve.directory())) {
      hello(zero, C3.NUMBER, 7, 0, PATIENCE, false);
      helloAgain(zero, 7);
      assertThat(log()).singleElement().asString().contains("\"restart\"", "\"from\":7");
      assertThat(serve.errors().lines())
          .containsExactly("sluice mpi: 2 ranks begin with checkpoint 7");
    }
  }

  @Test
  void aWaveThatASessionEndsInIsGivenUpInOneLine() throws Exception {
    try (ServeProcess serve = serve("container")) {
      try (RawProcess zero = RawProcess.attach(serve.directory())) {
        begin(zero, C3.NUMBER);
        complete(zero, 1);
      }
      assertThat(serve.stop()).isZero();
      assertThat(serve.errors().lines())
          .containsExactly(
              "sluice mpi: checkpoint 1 is given up: its job ended before it was whole");
      assertThat(log().getLast()).contains("\"given up\"", "\"checkpoint\":1");
    }
  }
}
