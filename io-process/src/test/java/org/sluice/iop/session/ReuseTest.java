package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.sluice.core.posix.FileName;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;

/** Images that say which of their bytes an earlier checkpoint has. */
class ReuseTest extends GroupServeTest {
  private static final String NAME = "state";
  private static final String PATH = "rank-0000/state";

  private static String pieces(final long... numbers) {
    final ByteBuffer bytes =
        ByteBuffer.allocate(numbers.length * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (final long number : numbers) {
      bytes.putLong(number);
    }
    return FileName.decode(bytes.array());
  }

  private static int create(final RawProcess process, final long number) throws IOException {
    assertThat(process.call(new Request.Begin(number, 1, 0))).isEqualTo(new Reply.Done());
    final Reply reply = process.call(new Request.Create(number, 0, 1, NAME));
    return ((Reply.Created) reply).opened().imageId();
  }

  private static void complete(final RawProcess process, final long number, final int image)
      throws IOException {
    process.end(image);
    assertThat(process.call(new Request.Complete(number, 0))).isEqualTo(new Reply.Done());
    assertThat(committed(process, number)).isEqualTo(new Reply.Done());
  }

  private static void whole(final RawProcess process, final long number, final String text)
      throws IOException {
    final int image = create(process, number);
    process.write(image, 0, bytes(text));
    complete(process, number, image);
  }

  private static Reply reuse(
      final RawProcess process, final long base, final int image, final long... pieces)
      throws IOException {
    return process.call(new Request.Reuse(base, image, pieces(pieces)));
  }

  @Test
  void bytesOfTheLastCheckpointAreNotWrittenAgain() throws Exception {
    long base = 1;
    for (final String layout : new String[] {"container", "files"}) {
      try (ServeProcess serve = serve(layout, "--keep=1");
          RawProcess process = RawProcess.attach(serve.directory())) {
        whole(process, base, "one two three");
        final int image = create(process, base + 1);
        process.write(image, 4, bytes("TWO"));
        process.write(image, 12, bytes("E")); // an image is as long as what is written to it
        assertThat(reuse(process, base, image)).isEqualTo(new Reply.Done());
        assertThat(reuse(process, base, image, 0, 4)).isEqualTo(new Reply.Done());
        assertThat(reuse(process, base, image, 7, 5)).isEqualTo(new Reply.Done());
        complete(process, base + 1, image);
        final long gone = base;
        await(() -> !numbers().contains(gone));
        assertThat(restored(base + 1, PATH)).isEqualTo("one TWO threE");
      }
      base += 2;
    }
  }

  /** The successor knows nothing but the journal. */
  @Test
  void aResumedIoProcessKnowsWhatIsReused() throws Exception {
    try (ServeProcess killed = serve("container");
        RawProcess process = RawProcess.attach(killed.directory())) {
      whole(process, 1, "one two three");
      final int image = create(process, 2);
      assertThat(reuse(process, 1, image, 0, 7)).isEqualTo(new Reply.Done());
      killed.kill();
      try (ServeProcess resumed = serve("container", "--resume");
          RawProcess again = process.resume(resumed.directory(), 8)) {
        again.write(image, 7, bytes(" THREE"));
        complete(again, 2, image);
        assertThat(restored(2, PATH)).isEqualTo("one two THREE");
      }
    }
  }

  /** Another checkpoint would let it go. */
  @Test
  void theBaseStaysWhileACheckpointUnderWayHasBytesOfIt() throws Exception {
    try (ServeProcess serve = serve("container", "--keep=1");
        RawProcess process = RawProcess.attach(serve.directory())) {
      whole(process, 1, "one two");
      final int image = create(process, 2);
      assertThat(reuse(process, 1, image, 0, 4)).isEqualTo(new Reply.Done());
      whole(process, 3, "another");
      process.write(image, 4, bytes("TWO"));
      complete(process, 2, image);
      assertThat(restored(2, PATH)).isEqualTo("one TWO");
    }
  }

  @Test
  void whatCannotBeReusedIsRefused() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess process = RawProcess.attach(serve.directory())) {
      whole(process, 1, "one");
      whole(process, 2, "two");
      final int image = create(process, 3);
      for (final long base : new long[] {-1, 1, 3, 9}) {
        assertThat(reuse(process, base, image, 0, 1)).isInstanceOf(Reply.Failed.class);
      }
      for (final long[] wrong : new long[][] {{0}, {0, 0}, {-1, 2}, {5, 1, 0, 1}, {1, -1}}) {
        assertThat(reuse(process, 2, image, wrong)).isInstanceOf(Reply.Failed.class);
      }
      assertThat(reuse(process, 2, image + 1, 0, 1)).isInstanceOf(Reply.Failed.class);
      assertThat(reuse(process, 2, image, 0, 9)).isEqualTo(new Reply.Done()); // it has three
      process.end(image);
      process.call(new Request.Complete(3, 0));
      assertThat(committed(process, 3)).isInstanceOf(Reply.Failed.class);
      assertThat(numbers()).containsExactly(1L, 2L);
    }
  }

  /** Checkpoint BASE, and one that has all but the ends of it. */
  private void pair(final RawProcess process, final long base) throws Exception {
    whole(process, base, "x".repeat(1000));
    final int image = create(process, base + 1);
    process.write(image, 0, bytes("y"));
    process.write(image, 999, bytes("z"));
    assertThat(reuse(process, base, image, 1, 998)).isEqualTo(new Reply.Done());
    complete(process, base + 1, image);
    await(() -> !numbers().contains(base));
  }

  /** They stay, and what they have of removed ones is never written anew. */
  @Test
  void whatEarlierRunsKeepTakesNoRoomFromThisOne() throws Exception {
    final Map<String, String> ofWaves = Map.of("SLUICE_MPI_LAYER", "x", "SLUICE_MPI_TAKEN", "x");
    final String[] options = options(store, capture, "container", "--keep=1");
    try (ServeProcess serve = ServeProcess.start(runtime, ofWaves, options)) {
      try (RawProcess process = RawProcess.attach(serve.directory())) {
        pair(process, 1);
      }
      assertThat(serve.stop()).isZero(); // killed, it might be resumed
    }
    try (ServeProcess serve = ServeProcess.start(runtime, ofWaves, options);
        RawProcess process = RawProcess.attach(serve.directory())) {
      pair(process, 3);
      whole(process, 5, "x".repeat(1000));
      assertThat(reuse(process, 5, create(process, 6), 0, 9)).isEqualTo(new Reply.Done());
      assertThat(numbers()).contains(2L, 5L);
    }
  }
}
