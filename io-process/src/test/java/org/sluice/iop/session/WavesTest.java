package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.sluice.client.CheckpointClient;
import org.sluice.client.CheckpointException;
import org.sluice.core.libc.Errno;
import org.sluice.core.posix.FileName;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.iop.wave.protocol.Control;
import org.sluice.iop.wave.protocol.c3.C3;
import org.sluice.iop.wave.protocol.pcl.Pcl;

/** The coordinator of waves, told what two ranks would tell it by rank 0. */
class WavesTest extends WaveServeTest {
  /** Both ranks write and complete the images of a wave. */
  private static void write(final RawProcess zero, final Path directory, final long wave)
      throws Exception {
    assertThat(zero.call(new Request.Hold(wave, RANKS))).isEqualTo(new Reply.Done());
    try (CheckpointClient rankZero = CheckpointClient.connect(directory, 0, RANKS);
        CheckpointClient rankOne = CheckpointClient.connect(directory, 1, RANKS)) {
      final var first = rankZero.begin(wave);
      final var second = rankOne.begin(wave);
      first.image("state").close();
      second.image("state").close();
      first.complete();
      second.complete();
    }
  }

  @Test
  void aWaveOfPclIsCommittedOnceItsCheckpointIsDurable() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess zero = RawProcess.attach(serve.directory())) {
      begin(zero, Pcl.NUMBER);
      say(zero, Pcl.COUNTED, 0, 1, longs(5));
      say(zero, Pcl.COUNTED, 1, 1, longs(9));
      expect(zero, Pcl.STOP_AT, -1, 1, longs(10, 500_000_000));
      say(zero, Control.MARKER, 0, 1, marker(0, 3, 2));
      say(zero, Control.MARKER, 1, 1, marker(1, 1, 2));
      expect(zero, Control.EXPECT, 0, 1, longs(0, 1, 1, 2, 0));
      expect(zero, Control.EXPECT, 1, 1, longs(1, 1, 1L << 32, 7, 3, 1, 1, 2, 0));
      bothSay(zero, Pcl.DRAINED, 1, NOTHING);
      expect(zero, Pcl.TAKE, -1, 1, NOTHING);
      write(zero, serve.directory(), 1);
      bothSay(zero, Control.TAKEN, 1, longs(1000, 500_000_000, 0, 0, 0, 0, 3, 0));
      expect(zero, Control.COMMIT, -1, 1, NOTHING);
      await(() -> serve.errors().contains("sluice mpi: checkpoint 1 is durable after "));
      assertThat(log().getLast())
          .contains(
              "\"committed\"", "\"checkpoint\":1", "\"bytes\":2000", "\"seconds_held_mean\":0.5")
          .contains("\"late\":6");
    }
  }

  @Test
  void aWaveOfC3EndsWithAPlanForEachRank() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess zero = RawProcess.attach(serve.directory())) {
      begin(zero, C3.NUMBER);
      say(zero, Control.MARKER, 1, 1, marker(1, 1, 2));
      say(zero, Control.MARKER, 0, 1, marker(0, 2, 2));
      next(zero);
      expect(zero, Control.EXPECT, 1, 1, longs(1, 1, 1L << 32, 7, 2, 1, 1, 2, 0));
      bothSay(zero, C3.READY, 1, NOTHING);
      expect(zero, C3.STOP, -1, 1, NOTHING);
      say(zero, Control.TAKEN, 0, 1, longs(10, 1, 0, 0, 0, 0, 0, 0));
      say(zero, Control.TAKEN, 1, 1, longs(10, 1, 1, 0, 0, 0, 0, 0));
      say(zero, C3.STOPPED, 1, 1, longs(1, 0, 0, 1, 1, 1L << 32, 7, 2));
      say(zero, C3.STOPPED, 0, 1, longs(0, 0, 0, 0));
      expect(zero, C3.PLAN, 0, 1, longs(0, 0, 0, 0));
      expect(zero, C3.PLAN, 1, 1, longs(0, 0, 0, 0));
      write(zero, serve.directory(), 1);
      bothSay(zero, C3.WRITTEN, 1, longs(5, 2, 4, 1, 0, 0));
      expect(zero, Control.COMMIT, -1, 1, NOTHING);
      await(() -> log().getLast().contains("\"committed\""));
      assertThat(log().getLast())
          .contains("\"committed\"", "\"bytes\":34", "\"late\":2", "\"events\":8");
    }
  }

  @Test
  void aWaveIsGivenUpWhenPatienceEndsAndNamesWhoIsMissing() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess zero = RawProcess.attach(serve.directory())) {
      hello(zero, C3.NUMBER, 1, TimeUnit.MILLISECONDS.toNanos(300));
      long wave = 0;
      String missing;
      do {
        wave++;
        expectPlease(zero, C3.NUMBER, wave);
        say(zero, Control.MARKER, 0, wave, marker(0, 0, 0));
        expect(zero, Control.GIVE_UP, -1, wave, NOTHING);
        missing =
            "sluice mpi: checkpoint %d is given up: no sluice_potential_checkpoint() reached by rank 1"
                .formatted(wave);
      } while (!serve.errors().contains(missing) && wave < MOST_WAVES);
      assertThat(serve.errors()).contains(missing);
      expectPlease(zero, C3.NUMBER, wave + 1);
    }
  }

  @Test
  void aRankThatCannotTakePartEndsTheWaveByItsReason() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess zero = RawProcess.attach(serve.directory())) {
      begin(zero, C3.NUMBER);
      say(zero, Control.REFUSED, 1, 1, "a new communicator".getBytes(StandardCharsets.UTF_8));
      expect(zero, Control.GIVE_UP, -1, 1, NOTHING);
      assertThat(log().getLast()).contains("\"given up\"", "rank 1: a new communicator");
      say(zero, Control.MARKER, 0, 1, marker(0, 0, 0)); // it is over
      assertThat(zero.call(new Request.Orders())).isEqualTo(new Reply.Order(0, 0, 0, 0, ""));
    }
  }

  /** At which spot all are to stop. */
  private static long spot(final RawProcess zero) throws Exception {
    final Reply.Order order = next(zero);
    assertThat(order.kind()).isEqualTo(Pcl.STOP_AT);
    return ByteBuffer.wrap(FileName.encode(order.bytes())).order(ByteOrder.LITTLE_ENDIAN).getLong();
  }

  @Test
  void aRankThatStoodForTooLongEndsAWaveAndTheNextOneHasMoreTime() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess zero = RawProcess.attach(serve.directory())) {
      begin(zero, Pcl.NUMBER);
      bothSay(zero, Pcl.COUNTED, 1, longs(5));
      expect(zero, Pcl.STOP_AT, -1, 1, longs(6, 500_000_000));
      say(zero, Control.MARKER, 1, 1, marker(1, 0, 0));
      say(zero, Pcl.STOOD, 1, 1, NOTHING);
      expect(zero, Control.GIVE_UP, -1, 1, NOTHING);
      assertThat(log().getLast()).contains("reached by rank 0, while others held still");
      say(zero, Control.MARKER, 0, 1, marker(0, 0, 0)); // it is over
      Files.createDirectories(store.resolve("mpi"));
      Files.createFile(store.resolve("mpi/ask"));
      expectPlease(zero, Pcl.NUMBER, 2);
      bothSay(zero, Pcl.COUNTED, 2, longs(8));
      final ByteBuffer order =
          ByteBuffer.wrap(FileName.encode(next(zero).bytes())).order(ByteOrder.LITTLE_ENDIAN);
      assertThat(order.getLong()).isGreaterThanOrEqualTo(10);
      assertThat(order.getLong()).isEqualTo(1_000_000_000);
    }
  }

  @Test
  void aCheckpointForWhichRanksStoodInVainIsTriedAgainUntilARankIsAtItsEnd() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess zero = RawProcess.attach(serve.directory())) {
      begin(zero, Pcl.NUMBER);
      standInVain(zero, 1);
      expectPlease(zero, Pcl.NUMBER, 2);
      standInVain(zero, 2);
      awaitLineOfRest(2);
      expectPlease(zero, Pcl.NUMBER, 3);
      standInVain(zero, 3);
      say(zero, Control.DONE, 0, 0, NOTHING);
      await(() -> log().getLast().contains("\"refused\""));
      assertThat(log().getLast()).contains("rank 0 has come to MPI_Finalize");
      assertThat(store.resolve("mpi/under-way")).doesNotExist();
    }
  }

  @Test
  void aCheckpointForWhichRanksStoodInVainIsTriedAgainLongBeforeTheNextOne() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess zero = RawProcess.attach(serve.directory())) {
      hello(zero, Pcl.NUMBER, TimeUnit.MINUTES.toNanos(10), PATIENCE);
      ask();
      expectPlease(zero, Pcl.NUMBER, 1);
      standInVain(zero, 1);
      expectPlease(zero, Pcl.NUMBER, 2);
    }
  }

  @Test
  void aWaveThatARankWasBeyondBeginsAgainFarther() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess zero = RawProcess.attach(serve.directory())) {
      begin(zero, Pcl.NUMBER);
      bothSay(zero, Pcl.COUNTED, 1, longs(5));
      expect(zero, Pcl.STOP_AT, -1, 1, longs(6, 500_000_000));
      say(zero, Pcl.PASSED, 1, 1, NOTHING);
      expect(zero, Control.GIVE_UP, -1, 1, NOTHING);
      expectPlease(zero, Pcl.NUMBER, 2);
      bothSay(zero, Pcl.COUNTED, 2, longs(8));
      assertThat(spot(zero)).isGreaterThanOrEqualTo(10);
    }
  }

  @Test
  void theJobEndsWhenNoWaveIsUnderWay() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess zero = RawProcess.attach(serve.directory())) {
      begin(zero, C3.NUMBER);
      say(zero, Control.DONE, 1, 0, NOTHING);
      expect(zero, Control.GIVE_UP, -1, 1, NOTHING);
      assertThat(zero.call(new Request.Orders())).isEqualTo(new Reply.Order(0, 0, 0, 0, ""));
      say(zero, Control.DONE, 0, 0, NOTHING);
      expect(zero, Control.END, -1, 0, NOTHING);
    }
  }

  @Test
  void aNumberThatWasBegunIsNeverBegunAgain() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess zero = RawProcess.attach(serve.directory())) {
      Files.writeString(
          store.resolve("mpi.log"),
          "{\"what\":\"begun\",\"checkpoint\":41}\n{\"what\":\"begun\",\"wa");
      hello(zero, C3.NUMBER, 1, PATIENCE);
      expectPlease(zero, C3.NUMBER, 42);
    }
    assertThat(log()).hasSize(4); // and nothing of the line that a crash cut
    assertThat(log().get(1)).contains("\"given up\"", "\"checkpoint\":41");
    assertThat(log().getLast())
        .matches(".*\"checkpoint\":42,\"protocol\":\"c3\",\"ranks\":2,\"crc\":\"[0-9a-f]{8}\"}");
  }

  /** What lies in the store of images that no checkpoint has. */
  private List<Path> staged() throws IOException {
    try (var files = Files.walk(store.resolve("staging"))) {
      return files.filter(Files::isRegularFile).toList();
    }
  }

  private static void expectNoCommit(final RawProcess zero, final long wave) throws Exception {
    assertThat(zero.call(new Request.Await(wave, 300)))
        .isInstanceOfSatisfying(
            Reply.Failed.class, reply -> assertThat(reply.errno()).isEqualTo(Errno.ETIMEDOUT));
  }

  @Test
  void aWaveWhoseImagesAreCompleteIsCommittedOnlyOnceAllRanksHaveSaidSo() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess zero = RawProcess.attach(serve.directory())) {
      begin(zero, C3.NUMBER);
      write(zero, serve.directory(), 1);
      say(zero, C3.WRITTEN, 0, 1, longs(5, 2, 4, 1, 0, 0));
      expectNoCommit(zero, 1);
      say(zero, C3.WRITTEN, 1, 1, longs(5, 2, 4, 1, 0, 0));
      assertThat(zero.call(new Request.Await(1, 60_000))).isEqualTo(new Reply.Done());
    }
  }

  @Test
  void theImagesOfAWaveThatIsGivenUpGoAtOnceAndNoRankCommitsItLater() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess zero = RawProcess.attach(serve.directory());
        CheckpointClient one = CheckpointClient.connect(serve.directory(), 1, RANKS)) {
      begin(zero, C3.NUMBER);
      assertThat(zero.call(new Request.Hold(1, RANKS))).isEqualTo(new Reply.Done());
      assertThat(zero.call(new Request.Complete(1, 0))).isEqualTo(new Reply.Done());
      final var late = one.begin(1);
      late.image("state").close();
      assertThat(staged()).isNotEmpty();
      say(zero, Control.REFUSED, 0, 1, "no".getBytes(StandardCharsets.UTF_8));
      expect(zero, Control.GIVE_UP, -1, 1, NOTHING);
      await(() -> staged().isEmpty());
      assertThatThrownBy(late::complete).isInstanceOf(CheckpointException.class);
      say(zero, C3.WRITTEN, 0, 1, longs(5, 2, 4, 1, 0, 0));
      say(zero, C3.WRITTEN, 1, 1, longs(5, 2, 4, 1, 0, 0));
      expectNoCommit(zero, 1);
      assertThat(zero.call(new Request.Decide(1, 1))).isEqualTo(new Reply.Done());
      expectNoCommit(zero, 1);
    }
  }

  @Test
  void whatIsDecidedStaysSo() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess zero = RawProcess.attach(serve.directory())) {
      assertThat(zero.call(new Request.Hold(1, RANKS))).isEqualTo(new Reply.Done());
      assertThat(zero.call(new Request.Complete(1, 0))).isEqualTo(new Reply.Done());
      assertThat(zero.call(new Request.Decide(1, 1))).isEqualTo(new Reply.Done());
      assertThat(zero.call(new Request.Decide(1, 0))).isEqualTo(new Reply.Done());
      assertThat(zero.call(new Request.Complete(1, 1))).isEqualTo(new Reply.Done());
      assertThat(zero.call(new Request.Await(1, 60_000))).isEqualTo(new Reply.Done());
      assertThat(zero.call(new Request.Hold(2, RANKS))).isEqualTo(new Reply.Done());
      assertThat(zero.call(new Request.Decide(2, 0))).isEqualTo(new Reply.Done());
      assertThat(zero.call(new Request.Complete(2, 0))).isInstanceOf(Reply.Failed.class);
    }
  }

  @Test
  void whatAWaveWaitsForIsToldMeanwhile() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess zero = RawProcess.attach(serve.directory())) {
      begin(zero, C3.NUMBER);
      say(zero, Control.MARKER, 0, 1, marker(0, 0, 0));
      final Path underWay = store.resolve("mpi/under-way");
      await(
          () ->
              Files.exists(underWay)
                  && Files.readString(underWay)
                      .contains("no sluice_potential_checkpoint() reached by rank 1"));
      assertThat(Files.readString(underWay)).contains("\"checkpoint\":1");
    }
  }

  @Test
  void aResumedIoProcessHearsNobodyBeforeRankZeroHasGreetedIt() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess zero = RawProcess.attach(serve.directory())) {
      say(zero, C3.READY, 1, 7, NOTHING);
      assertThat(zero.call(new Request.Orders())).isEqualTo(new Reply.Order(0, 0, 0, 0, ""));
    }
  }
}
