package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.sluice.core.libc.Errno;
import org.sluice.core.posix.FileName;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.iop.wave.protocol.Control;
import org.sluice.iop.wave.protocol.c3.C3;
import org.sluice.iop.wave.protocol.c3.EventKind;
import org.sluice.iop.wave.protocol.pcl.Pcl;

/** What the coordinator of waves makes of what is too much, too late or makes no sense. */
class WavesRefusedTest extends WaveServeTest {
  /** Whether it comes to the plans: two ranks without messages have recorded nothing. */
  private static boolean recordNothing(final RawProcess zero, final long wave) throws Exception {
    for (int rank = 0; rank < RANKS; rank++) {
      say(zero, Control.TAKEN, rank, wave, longs(10, 1, 0, 0, 0, 0, 0, 0));
      say(zero, Control.MARKER, rank, wave, marker(rank, 0, 0));
    }
    bothSay(zero, C3.READY, wave, NOTHING);
    say(zero, C3.STOPPED, 0, wave, longs(0, 0, 0, 0));
    say(zero, C3.STOPPED, 1, wave, longs(1, 0, 0, 0));
    int kind = next(zero).kind();
    while (kind != C3.PLAN && kind != Control.GIVE_UP) {
      kind = next(zero).kind();
    }
    return kind == C3.PLAN;
  }

  @Test
  void aWaveOfC3NamesTheRankWhoseImagesItWaitsFor() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess zero = RawProcess.attach(serve.directory())) {
      hello(zero, C3.NUMBER, 1, TimeUnit.SECONDS.toNanos(2));
      long wave = 0;
      String missing;
      do {
        wave++;
        expectPlease(zero, C3.NUMBER, wave);
        if (recordNothing(zero, wave)) {
          say(zero, C3.WRITTEN, 0, wave, longs(0, 0, 0, 0, 0, 0));
          await(() -> next(zero).kind() == Control.GIVE_UP);
        }
        missing = "checkpoint %d is given up: no images from rank 1".formatted(wave);
      } while (!serve.errors().contains(missing) && wave < MOST_WAVES);
      assertThat(serve.errors()).contains(missing);
    }
  }

  @Test
  void aMessageMayComeInPieces() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess zero = RawProcess.attach(serve.directory())) {
      hello(zero, C3.NUMBER, 1, PATIENCE);
      expectPlease(zero, C3.NUMBER, 1);
      final String marker = FileName.decode(marker(0, 2, 2));
      final Request first = new Request.Wave(Control.MARKER, 0, 1, 1, marker.substring(0, 11));
      assertThat(zero.call(first)).isEqualTo(new Reply.Done());
      say(zero, Control.MARKER, 1, 1, marker(1, 2, 2));
      final Request rest = new Request.Wave(Control.MARKER, 0, 1, 0, marker.substring(11));
      assertThat(zero.call(rest)).isEqualTo(new Reply.Done());
      expect(zero, Control.EXPECT, 0, 1, longs(0, 1, 1, 2, 0));
    }
  }

  @Test
  void aMessageThatMakesNoSenseIsRefused() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess zero = RawProcess.attach(serve.directory())) {
      hello(zero, C3.NUMBER, 1, PATIENCE);
      expectPlease(zero, C3.NUMBER, 1);
      final Request cut = new Request.Wave(Control.MARKER, 0, 1, 0, "abc");
      assertThat(zero.call(cut)).isInstanceOf(Reply.Failed.class);
      final Request other = new Request.Wave(Pcl.DRAINED, 0, 1, 0, "");
      assertThat(zero.call(other)).isInstanceOf(Reply.Failed.class);
      for (final int nobody : new int[] {-1, RANKS}) {
        final Request done = new Request.Wave(Control.DONE, nobody, 0, 0, "");
        assertThat(zero.call(done)).isInstanceOf(Reply.Failed.class);
      }
      say(zero, Control.MARKER, 0, 1, marker(0, 2, 2));
      final byte[] ofNobody = longs(1, 0, 1, 1, 1L << 32 | 7, 7, 2, 0, 0); // from rank 7
      final Request strange = new Request.Wave(Control.MARKER, 1, 1, 0, FileName.decode(ofNobody));
      assertThat(zero.call(strange)).isInstanceOf(Reply.Failed.class);
      say(zero, Control.REFUSED, 0, 1, "no".getBytes(StandardCharsets.UTF_8));
      await(() -> next(zero).kind() == Control.GIVE_UP);
    }
  }

  /** In pieces; returns what the last of them is answered. */
  private static Reply record(final RawProcess zero, final int rank, final int events)
      throws IOException {
    final ByteBuffer all = little(16 * (events + 2)).putLong(rank).putLong(events);
    for (int i = 0; i < events; i++) {
      all.putInt(EventKind.NOTHING).putInt(Long.BYTES).putLong(1);
    }
    Reply reply = new Reply.Done();
    for (int at = 0; at < all.capacity() && reply instanceof Reply.Done; at += 60_000) {
      final int end = Math.min(at + 60_000, all.capacity());
      final String piece = FileName.decode(Arrays.copyOfRange(all.array(), at, end));
      final int more = end < all.capacity() ? 1 : 0;
      reply = zero.call(new Request.Wave(C3.STOPPED, rank, 1, more, piece));
    }
    return reply;
  }

  /** The recordings of all ranks of a wave have one limit, whatever else comes between them. */
  @Test
  void whatRanksRecordHasALimit() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess zero = RawProcess.attach(serve.directory())) {
      begin(zero, C3.NUMBER);
      assertThat(record(zero, 0, 330_000)).isEqualTo(new Reply.Done());
      say(zero, C3.READY, 1, 0, NOTHING); // of a wave before
      assertThat(record(zero, 1, 330_000))
          .isInstanceOfSatisfying(
              Reply.Failed.class, reply -> assertThat(reply.errno()).isEqualTo(Errno.EFBIG));
      expect(zero, Control.GIVE_UP, -1, 1, NOTHING);
    }
  }

  @Test
  void whoAsksForAWaveOnceARankHasEndedIsToldThatThereIsNone() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess zero = RawProcess.attach(serve.directory())) {
      hello(zero, C3.NUMBER, 0, PATIENCE);
      say(zero, Control.DONE, 1, 0, NOTHING);
      ask();
      await(
          () ->
              serve
                  .errors()
                  .contains("no checkpoint is taken any more: rank 1 has come to MPI_Finalize"));
    }
  }

  /** A job that ends as it should has lost nothing. */
  @Test
  void whatTheEndOfAJobGivesUpIsInTheLogAlone() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess zero = RawProcess.attach(serve.directory())) {
      begin(zero, C3.NUMBER);
      say(zero, Control.DONE, 0, 0, NOTHING);
      expect(zero, Control.GIVE_UP, -1, 1, NOTHING);
      assertThat(log().getLast()).contains("given up", "rank 0 has come to MPI_Finalize");
      assertThat(serve.errors()).doesNotContain("given up");
    }
  }

  /** An image has no name that a user knows. The checkpoint's line has the reason. */
  @Test
  void aFullStoreSaysOneLineOfEachCheckpoint() throws Exception {
    final Map<String, String> full = Map.of("SLUICE_FAULT", "container-write:ENOSPC@1-");
    try (ServeProcess serve =
            ServeProcess.start(runtime, full, options(store, capture, "container"));
        RawProcess zero = RawProcess.attach(serve.directory())) {
      assertThat(zero.call(new Request.Begin(1, 1, 0))).isEqualTo(new Reply.Done());
      for (final String name : List.of("state", "late")) {
        final Reply made = zero.call(new Request.Create(1, 0, 1, name));
        final int image = ((Reply.Created) made).opened().imageId();
        zero.write(image, 0, bytes("something"));
        zero.end(image);
      }
      assertThat(zero.call(new Request.Complete(1, 0))).isEqualTo(new Reply.Done());
      assertThat(zero.call(new Request.Await(1, 60_000))).isInstanceOf(Reply.Failed.class);
      await(() -> !serve.errors().isEmpty()); // who asks late is answered before it is said
      assertThat(serve.errors().lines())
          .singleElement()
          .asString()
          .contains("checkpoint 1 is not committed: rank-0000/");
    }
  }
}
