package org.sluice.iop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.sluice.client.CheckpointClient;
import org.sluice.client.CheckpointException;
import org.sluice.core.posix.Errno;
import org.sluice.core.posix.FileName;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.mpi.Control;
import org.sluice.mpi.EventKind;

/** The coordinator of waves, told what two ranks would tell it by rank 0. */
class WavesTest extends ServeTest {
  private static final int RANKS = 2;
  private static final long PATIENCE = TimeUnit.MINUTES.toNanos(1);
  private static final byte[] NOTHING = {};

  /** A message from rank 0 to rank 1, or how many of its stream. */
  private static long[] message(final long number) {
    return new long[] {1, 1L << 32, 7, number};
  }

  private static byte[] longs(final long... values) {
    final ByteBuffer out = little(values.length * Long.BYTES);
    for (final long value : values) {
      out.putLong(value);
    }
    return out.array();
  }

  private static ByteBuffer little(final int length) {
    return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Of a rank whose stream from 0 to 1 has so many messages at its own end. */
  private static byte[] marker(final int rank, final long messages, final long collectives) {
    final long[] m = message(messages);
    return rank == 0
        ? longs(0, 1, m[0], m[1], m[2], m[3], 0, 1, 1, collectives, 0)
        : longs(1, 0, 1, m[0], m[1], m[2], m[3], 1, 1, collectives, 0);
  }

  private static void hello(
      final RawProcess zero, final int protocol, final long every, final long patience)
      throws IOException {
    final ByteBuffer job = little(40).putInt(protocol).putInt(RANKS);
    job.putLong(-1).putLong(0).putLong(every).putLong(patience);
    say(zero, Control.HELLO, 0, 0, job.array());
  }

  private static void say(
      final RawProcess zero, final int kind, final int rank, final long wave, final byte[] bytes)
      throws IOException {
    final Request request = new Request.Wave(kind, rank, wave, 0, FileName.decode(bytes));
    assertThat(zero.call(request)).isEqualTo(new Reply.Done());
  }

  private static void bothSay(
      final RawProcess zero, final int kind, final long wave, final byte[] bytes)
      throws IOException {
    say(zero, kind, 1, wave, bytes);
    say(zero, kind, 0, wave, bytes);
  }

  private static Reply.Order next(final RawProcess zero) throws Exception {
    final Reply.Order[] order = new Reply.Order[1];
    await(
        () -> {
          order[0] = (Reply.Order) zero.call(new Request.Orders());
          return order[0].kind() != 0;
        });
    return order[0];
  }

  private static void expect(
      final RawProcess zero, final int kind, final int rank, final long wave, final byte[] bytes)
      throws Exception {
    assertThat(next(zero)).isEqualTo(new Reply.Order(kind, rank, wave, 0, FileName.decode(bytes)));
  }

  private static void expectPlease(final RawProcess zero, final int protocol, final long wave)
      throws Exception {
    expect(zero, Control.PLEASE, -1, wave, little(4).putInt(protocol).array());
  }

  /** As {@code sluice mpi checkpoint} does. */
  private void ask() throws IOException {
    Files.createFile(Files.createDirectories(store.resolve("waves")).resolve("ask"));
  }

  /** A job is there, and a user asks for its first wave. */
  private void begin(final RawProcess zero, final int protocol) throws Exception {
    hello(zero, protocol, 0, PATIENCE);
    ask();
    expectPlease(zero, protocol, 1);
  }

  private List<String> log() throws IOException {
    return Files.readAllLines(store.resolve("waves.log"));
  }

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
      begin(zero, Control.PCL);
      say(zero, Control.COUNTED, 0, 1, longs(5));
      say(zero, Control.COUNTED, 1, 1, longs(9));
      expect(zero, Control.STOP_AT, -1, 1, longs(10));
      say(zero, Control.MARKER, 0, 1, marker(0, 3, 2));
      say(zero, Control.MARKER, 1, 1, marker(1, 1, 2));
      expect(zero, Control.EXPECT, 0, 1, longs(0, 1, 1, 2, 0));
      expect(zero, Control.EXPECT, 1, 1, longs(1, 1, 1L << 32, 7, 3, 1, 1, 2, 0));
      bothSay(zero, Control.DRAINED, 1, NOTHING);
      expect(zero, Control.TAKE, -1, 1, NOTHING);
      write(zero, serve.directory(), 1);
      bothSay(zero, Control.TAKEN, 1, longs(1000, 500_000_000, 0, 0, 0, 0));
      expect(zero, Control.COMMIT, -1, 1, NOTHING);
      await(() -> serve.errors().contains("sluice mpi: wave 1 is durable after "));
      assertThat(log().getLast())
          .contains("\"committed\"", "\"wave\":1", "\"bytes\":2000", "\"seconds_held_mean\":0.5");
    }
  }

  @Test
  void aWaveOfC3EndsWithAPlanForEachRank() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess zero = RawProcess.attach(serve.directory())) {
      begin(zero, Control.C3);
      say(zero, Control.MARKER, 1, 1, marker(1, 1, 2));
      say(zero, Control.MARKER, 0, 1, marker(0, 2, 2));
      next(zero);
      expect(zero, Control.EXPECT, 1, 1, longs(1, 1, 1L << 32, 7, 2, 1, 1, 2, 0));
      bothSay(zero, Control.READY, 1, NOTHING);
      expect(zero, Control.STOP, -1, 1, NOTHING);
      say(zero, Control.TAKEN, 0, 1, longs(10, 1, 0, 0, 0, 0));
      say(zero, Control.TAKEN, 1, 1, longs(10, 1, 1, 0, 0, 0));
      say(zero, Control.STOPPED, 1, 1, longs(1, 0, 0, 1, 1, 1L << 32, 7, 2));
      say(zero, Control.STOPPED, 0, 1, longs(0, 0, 0, 0));
      expect(zero, Control.PLAN, 0, 1, longs(0, 0, 0, 0));
      expect(zero, Control.PLAN, 1, 1, longs(0, 0, 0, 0));
      write(zero, serve.directory(), 1);
      bothSay(zero, Control.WRITTEN, 1, longs(5, 2, 4, 1, 0, 0));
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
      hello(zero, Control.C3, 1, TimeUnit.MILLISECONDS.toNanos(300));
      expectPlease(zero, Control.C3, 1);
      say(zero, Control.MARKER, 0, 1, marker(0, 0, 0));
      expect(zero, Control.GIVE_UP, -1, 1, NOTHING);
      assertThat(serve.errors())
          .contains(
              "sluice mpi: wave 1 is given up: no sluice_potential_checkpoint() reached by rank 1");
      expectPlease(zero, Control.C3, 2);
    }
  }

  @Test
  void aRankThatCannotTakePartEndsTheWaveByItsReason() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess zero = RawProcess.attach(serve.directory())) {
      begin(zero, Control.C3);
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
    assertThat(order.kind()).isEqualTo(Control.STOP_AT);
    return ByteBuffer.wrap(FileName.encode(order.bytes())).order(ByteOrder.LITTLE_ENDIAN).getLong();
  }

  @Test
  void aWaveThatARankWasBeyondBeginsAgainFarther() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess zero = RawProcess.attach(serve.directory())) {
      begin(zero, Control.PCL);
      bothSay(zero, Control.COUNTED, 1, longs(5));
      expect(zero, Control.STOP_AT, -1, 1, longs(6));
      say(zero, Control.PASSED, 1, 1, NOTHING);
      expect(zero, Control.GIVE_UP, -1, 1, NOTHING);
      expectPlease(zero, Control.PCL, 2);
      bothSay(zero, Control.COUNTED, 2, longs(8));
      assertThat(spot(zero)).isGreaterThanOrEqualTo(10);
    }
  }

  /** Up to the plans: two ranks without messages have recorded nothing. */
  private static void recordNothing(final RawProcess zero, final long wave) throws Exception {
    for (int rank = 0; rank < RANKS; rank++) {
      say(zero, Control.TAKEN, rank, wave, longs(10, 1, 0, 0, 0, 0));
      say(zero, Control.MARKER, rank, wave, marker(rank, 0, 0));
    }
    bothSay(zero, Control.READY, wave, NOTHING);
    say(zero, Control.STOPPED, 0, wave, longs(0, 0, 0, 0));
    say(zero, Control.STOPPED, 1, wave, longs(1, 0, 0, 0));
    await(() -> next(zero).kind() == Control.PLAN);
  }

  @Test
  void aWaveOfC3NamesTheRankWhoseImagesItWaitsFor() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess zero = RawProcess.attach(serve.directory())) {
      hello(zero, Control.C3, 1, TimeUnit.SECONDS.toNanos(2));
      expectPlease(zero, Control.C3, 1);
      recordNothing(zero, 1);
      say(zero, Control.WRITTEN, 0, 1, longs(0, 0, 0, 0, 0, 0));
      await(() -> next(zero).kind() == Control.GIVE_UP);
      assertThat(serve.errors()).contains("wave 1 is given up: no images from rank 1");
    }
  }

  @Test
  void theJobEndsWhenNoWaveIsUnderWay() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess zero = RawProcess.attach(serve.directory())) {
      begin(zero, Control.C3);
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
          store.resolve("waves.log"), "{\"what\":\"begun\",\"wave\":41}\n{\"what\":\"begun\",\"wa");
      hello(zero, Control.C3, 1, PATIENCE);
      expect(zero, Control.GIVE_UP, -1, 41, NOTHING);
      expectPlease(zero, Control.C3, 42);
    }
    assertThat(log().get(2)).contains("\"given up\"", "\"wave\":41");
    assertThat(log()).hasSize(5); // nothing is behind what a crash cut
    assertThat(log().getLast()).endsWith("\"wave\":42,\"protocol\":\"c3\",\"ranks\":2}");
  }

  @Test
  void aMessageMayComeInPieces() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess zero = RawProcess.attach(serve.directory())) {
      hello(zero, Control.C3, 1, PATIENCE);
      expectPlease(zero, Control.C3, 1);
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
      hello(zero, Control.C3, 1, PATIENCE);
      expectPlease(zero, Control.C3, 1);
      final Request cut = new Request.Wave(Control.MARKER, 0, 1, 0, "abc");
      assertThat(zero.call(cut)).isInstanceOf(Reply.Failed.class);
      final Request other = new Request.Wave(Control.DRAINED, 0, 1, 0, "");
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
      reply = zero.call(new Request.Wave(Control.STOPPED, rank, 1, more, piece));
    }
    return reply;
  }

  /** The recordings of all ranks of a wave have one limit, whatever else comes between them. */
  @Test
  void whatRanksRecordHasALimit() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess zero = RawProcess.attach(serve.directory())) {
      begin(zero, Control.C3);
      assertThat(record(zero, 0, 330_000)).isEqualTo(new Reply.Done());
      say(zero, Control.READY, 1, 0, NOTHING); // of a wave before
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
      hello(zero, Control.C3, 0, PATIENCE);
      say(zero, Control.DONE, 1, 0, NOTHING);
      ask();
      await(
          () ->
              serve
                  .errors()
                  .contains("no checkpoint is taken any more: rank 1 has come to MPI_Finalize"));
    }
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
      begin(zero, Control.C3);
      write(zero, serve.directory(), 1);
      say(zero, Control.WRITTEN, 0, 1, longs(5, 2, 4, 1, 0, 0));
      expectNoCommit(zero, 1);
      say(zero, Control.WRITTEN, 1, 1, longs(5, 2, 4, 1, 0, 0));
      assertThat(zero.call(new Request.Await(1, 10_000))).isEqualTo(new Reply.Done());
    }
  }

  @Test
  void theImagesOfAWaveThatIsGivenUpGoAtOnceAndNoRankCommitsItLater() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess zero = RawProcess.attach(serve.directory());
        CheckpointClient one = CheckpointClient.connect(serve.directory(), 1, RANKS)) {
      begin(zero, Control.C3);
      assertThat(zero.call(new Request.Hold(1, RANKS))).isEqualTo(new Reply.Done());
      assertThat(zero.call(new Request.Complete(1, 0))).isEqualTo(new Reply.Done());
      final var late = one.begin(1);
      late.image("state").close();
      assertThat(staged()).isNotEmpty();
      say(zero, Control.REFUSED, 0, 1, "no".getBytes(StandardCharsets.UTF_8));
      expect(zero, Control.GIVE_UP, -1, 1, NOTHING);
      await(() -> staged().isEmpty());
      assertThatThrownBy(late::complete).isInstanceOf(CheckpointException.class);
      say(zero, Control.WRITTEN, 0, 1, longs(5, 2, 4, 1, 0, 0));
      say(zero, Control.WRITTEN, 1, 1, longs(5, 2, 4, 1, 0, 0));
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
      assertThat(zero.call(new Request.Await(1, 10_000))).isEqualTo(new Reply.Done());
      assertThat(zero.call(new Request.Hold(2, RANKS))).isEqualTo(new Reply.Done());
      assertThat(zero.call(new Request.Decide(2, 0))).isEqualTo(new Reply.Done());
      assertThat(zero.call(new Request.Complete(2, 0))).isInstanceOf(Reply.Failed.class);
    }
  }

  @Test
  void whatAWaveWaitsForIsToldMeanwhile() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess zero = RawProcess.attach(serve.directory())) {
      begin(zero, Control.C3);
      say(zero, Control.MARKER, 0, 1, marker(0, 0, 0));
      final Path underWay = store.resolve("waves/under-way");
      await(
          () ->
              Files.exists(underWay)
                  && Files.readString(underWay)
                      .contains("no sluice_potential_checkpoint() reached by rank 1"));
      assertThat(Files.readString(underWay)).contains("\"wave\":1");
    }
  }

  @Test
  void aResumedIoProcessHearsNobodyBeforeRankZeroHasGreetedIt() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess zero = RawProcess.attach(serve.directory())) {
      say(zero, Control.READY, 1, 7, NOTHING);
      assertThat(zero.call(new Request.Orders())).isEqualTo(new Reply.Order(0, 0, 0, 0, ""));
    }
  }
}
