package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.client.Checkpoint;
import org.sluice.client.CheckpointClient;
import org.sluice.client.ImageChannel;
import org.sluice.core.store.node.Leftover;
import org.sluice.core.store.node.NodeTidying;
import org.sluice.core.store.node.PosixStore;
import org.sluice.core.store.node.StoreTidying;

/** The Java client and a real I/O process. */
@Timeout(120)
class JavaClientTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int LENGTH = 3_000_000;

  @TempDir Path directory;

  private ServeProcess serve(final String... options) throws IOException {
    final String[] all = Arrays.copyOf(options, options.length + 4);
    all[options.length] = "--store";
    all[options.length + 1] = directory.resolve("store").toString();
    all[options.length + 2] = "--chunk";
    all[options.length + 3] = "64K";
    return ServeProcess.start(directory, all);
  }

  @ParameterizedTest
  @CsvSource({
    "container, auto, 64M",
    "container, 2000, 128K",
    "files, auto, 64M",
    "files, 2000, 128K"
  })
  void imagesOfAllRanksComeBackAsWritten(
      final String layout, final String threshold, final String buffer) throws Exception {
    try (ServeProcess serve =
            serve("--layout", layout, "--threshold", threshold, "--buffer", buffer);
        ExecutorService ranks = Executors.newFixedThreadPool(2)) {
      final List<Callable<Void>> jobs =
          List.of(() -> runRank(serve.directory(), 0), () -> runRank(serve.directory(), 1));
      for (final Future<Void> rank : ranks.invokeAll(jobs)) {
        rank.get();
      }
      assertThat(serve.stop()).isZero();
    }
  }

  private static Void runRank(final Path runtime, final int rank) throws IOException {
    try (CheckpointClient client = CheckpointClient.connect(runtime, rank, 2)) {
      final Checkpoint checkpoint = client.begin(7);
      final byte[] written = writeAnyhow(checkpoint.image("state/u"), new Random(rank));
      write(checkpoint, "state/\udcfe", 1); // bytes that are no UTF-8
      write(checkpoint, "state/\udcff", 2);
      assertThatThrownBy(() -> checkpoint.image("\ud800")).hasMessageContaining("EINVAL");
      checkpoint.complete();
      assertThat(checkpoint.awaitDurable(LONG)).isTrue();
      assertThat(client.checkpoints()).containsExactly(7L);
      assertThat(read(client, "state/u")).isEqualTo(written);
      assertThat(read(client, "state/\udcfe")).containsExactly(1);
      assertThat(read(client, "state/\udcff")).containsExactly(2);
    }
    return null;
  }

  /** Writes, most of them small and many overlapping, a few reads and cuts; returns the result. */
  private static byte[] writeAnyhow(final ImageChannel image, final Random random)
      throws IOException {
    final byte[] model = new byte[LENGTH];
    int size = 0;
    while (size < LENGTH) {
      final int call = random.nextInt(100);
      final byte[] data = new byte[1 + random.nextInt(call < 4 ? 200_000 : 3000)];
      random.nextBytes(data);
      final int offset =
          Math.min(random.nextInt(3) > 0 ? size : random.nextInt(size + 1), LENGTH - data.length);
      image.position(offset).write(ByteBuffer.wrap(data));
      System.arraycopy(data, 0, model, offset, data.length);
      size = Math.max(size, offset + data.length);
      if (call == 99) {
        final int cut = size - size / 20;
        image.truncate(cut);
        Arrays.fill(model, cut, size, (byte) 0);
        size = cut;
      } else if (call == 98) {
        assertReads(image, model, random.nextInt(size), size);
      }
      assertThat(image.size()).isEqualTo(size);
    }
    return model;
  }

  private static void assertReads(
      final ImageChannel image, final byte[] model, final int offset, final int size)
      throws IOException {
    final ByteBuffer bytes = ByteBuffer.allocate(Math.min(10_000, size - offset));
    assertThat(image.position(offset).read(bytes)).isEqualTo(bytes.capacity());
    assertThat(bytes.array())
        .isEqualTo(Arrays.copyOfRange(model, offset, offset + bytes.capacity()));
  }

  private static byte[] read(final CheckpointClient client, final String name) throws IOException {
    try (SeekableByteChannel image = client.restart(CheckpointClient.NEWEST, name)) {
      final ByteBuffer bytes = ByteBuffer.allocate((int) image.size());
      while (bytes.hasRemaining()) {
        assertThat(image.read(bytes)).isPositive();
      }
      return bytes.array();
    }
  }

  @Test
  void checkpointIsNotThereBeforeItsLastRankCompletes() throws Exception {
    try (ServeProcess serve = serve("--buffer", "4M");
        CheckpointClient first = CheckpointClient.connect(serve.directory(), 0, 2);
        CheckpointClient second = CheckpointClient.connect(serve.directory(), 1, 2)) {
      final Checkpoint ours = first.begin(7);
      final Checkpoint theirs = second.begin(7);
      write(ours, "u", 1);
      ours.complete();
      write(theirs, "u", 2);
      assertThat(ours.awaitDurable(Duration.ofMillis(50))).isFalse();
      assertThat(first.checkpoints()).isEmpty();
      assertThatThrownBy(() -> read(first, "u")).hasMessageContaining("no such");

      theirs.complete();
      assertThat(ours.awaitDurable(LONG)).isTrue();
      assertThat(read(first, "u")).containsExactly(1);
      assertThat(read(second, "u")).containsExactly(2);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"container", "files"})
  void wholeCheckpointIsRestoredAsItWas(final String layout) throws Exception {
    final Path capture = Files.createDirectory(directory.resolve("capture"));
    try (ServeProcess serve =
            serve("--layout", layout, "--capture", capture.toString(), "--keep", "all");
        CheckpointClient client = CheckpointClient.connect(serve.directory(), 0, 1)) {
      assertThat(client.newest()).isEmpty();
      for (final int number : List.of(1, 2)) {
        final Checkpoint checkpoint = client.begin(number);
        write(checkpoint, "u", number);
        assertThat(checkpoint.add(Files.writeString(capture.resolve("file"), "of " + number)))
            .isTrue();
        checkpoint.name(number == 1 ? "first" : "épo que");
        checkpoint.complete();
        assertThat(checkpoint.awaitDurable(LONG)).isTrue();
        assertThatThrownBy(() -> checkpoint.name("late")).hasMessageContaining("EINVAL");
      }
      assertNames(client);
      final Checkpoint cancelled = client.begin(3);
      write(cancelled, "u", 3);
      cancelled.cancel();
      assertThatThrownBy(cancelled::complete).hasMessageContaining("3");

      assertThat(client.newest()).hasValue(2);
      client.restore(CheckpointClient.NEWEST, directory.resolve("newest"));
      client.restore(1, directory.resolve("first"));
      assertThat(directory.resolve("newest/file")).hasContent("of 2");
      assertThat(directory.resolve("first/file")).hasContent("of 1");
      assertThat(directory.resolve("first/rank-0000/u")).hasBinaryContent(new byte[] {1});
      assertThatThrownBy(() -> client.restore(1, directory.resolve("newest")))
          .hasMessageContaining("exists")
          .hasMessageContaining("EEXIST");
      assertThatThrownBy(() -> client.restore(3, directory.resolve("none")))
          .hasMessageContaining("no checkpoint 3 is committed")
          .hasMessageContaining("ENOENT");
      assertThat(directory.resolve("none")).doesNotExist();
    }
  }

  private static void assertNames(final CheckpointClient client) throws IOException {
    assertThat(client.find("first")).hasValue(1);
    assertThat(client.find("none")).isEmpty();
    assertThat(client.nameOf(CheckpointClient.NEWEST)).hasValue("épo que");
    assertThatThrownBy(() -> client.nameOf(9)).hasMessageContaining("ENOENT");
  }

  @Test
  void checkpointOfAClientThatLeavesBeforeCompletingIsNotCommitted() throws Exception {
    try (ServeProcess serve = serve("--buffer", "4M")) {
      try (CheckpointClient client = CheckpointClient.connect(serve.directory(), 0, 1)) {
        write(client.begin(7), "u", 1);
      }
      try (CheckpointClient client = CheckpointClient.connect(serve.directory(), 0, 1)) {
        assertThat(client.checkpoints()).isEmpty();
        final Checkpoint again = client.begin(7);
        write(again, "u", 2);
        again.complete();
        assertThat(again.awaitDurable(LONG)).isTrue();
        assertThat(read(client, "u")).containsExactly(2);
      }
    }
  }

  @Test
  void readAfterSyncSeesWhatWasWrittenSince() throws Exception {
    try (ServeProcess serve = serve("--buffer", "4M");
        CheckpointClient client = CheckpointClient.connect(serve.directory(), 0, 1)) {
      final ImageChannel image = client.begin(7).image("u");
      image.write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
      image.sync();
      image.position(1).write(ByteBuffer.wrap(new byte[] {9}));

      final ByteBuffer bytes = ByteBuffer.allocate(4);
      assertThat(image.position(0).read(bytes)).isEqualTo(3);
      assertThat(bytes.array()).containsExactly(1, 9, 3, 0);
    }
  }

  @Test
  void interruptedThreadGetsItsReplyAndGoesOn() throws Exception {
    try (ServeProcess serve = serve("--buffer", "4M");
        CheckpointClient client = CheckpointClient.connect(serve.directory(), 0, 1);
        CheckpointClient other = CheckpointClient.connect(serve.directory(), 0, 1)) {
      final Checkpoint checkpoint = client.begin(7);
      write(checkpoint, "u", 1);
      final Thread waiting = Thread.currentThread();
      final Thread interrupting =
          Thread.ofPlatform()
              .start(
                  () -> {
                    while (waiting.getState() != Thread.State.RUNNABLE
                        || !isInTheLibrary(waiting)) {
                      Thread.onSpinWait();
                    }
                    waiting.interrupt();
                  });
      do {
        assertThat(checkpoint.awaitDurable(Duration.ofSeconds(1))).isFalse();
      } while (interrupting.isAlive());
      assertThat(waiting.isInterrupted()).isTrue();
      checkpoint.complete();
      assertThat(checkpoint.awaitDurable(LONG)).isTrue();
      assertThat(other.checkpoints()).containsExactly(7L);
      assertThat(Thread.interrupted()).isTrue();
      assertThat(serve.errors()).isEmpty();
    }
  }

  private static boolean isInTheLibrary(final Thread thread) {
    return Arrays.stream(thread.getStackTrace())
        .anyMatch(frame -> frame.getClassName().endsWith("LibSluice"));
  }

  @Test
  void killedIoProcessIsReportedByTheNextCallThatNeedsIt() throws Exception {
    try (ServeProcess serve = serve("--buffer", "4M")) {
      final CheckpointClient client = CheckpointClient.connect(serve.directory(), 0, 1);
      final ImageChannel image = client.begin(7).image("u");
      image.write(ByteBuffer.allocate(10)); // the client has a chunk by that
      serve.kill();
      image.write(ByteBuffer.allocate(10));

      assertThatThrownBy(image::sync).hasMessageContaining("gone");
      assertThatThrownBy(client::close).hasMessageContaining("gone");
    }
  }

  /** As if everything had lain there for long. */
  private void collectGarbage() throws IOException {
    try (Stream<Path> files = Files.walk(directory.resolve("store"));
        StoreTidying tidying = new NodeTidying(PosixStore.open(directory.resolve("store")))) {
      for (final Path file : files.filter(Files::isRegularFile).toList()) {
        Files.setLastModifiedTime(file, FileTime.fromMillis(0));
      }
      assertThat(tidying.collectGarbage(false, unreadable -> {}, left -> {}))
          .extracting(Leftover::kind)
          .doesNotContain(Leftover.Kind.IMAGE);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"container", "files"})
  @SuppressWarnings("try") // the client leaves before the I/O process is asked to end
  void ranksGoOnWhenAKilledIoProcessIsResumed(final String layout) throws Exception {
    final byte[] bytes = new byte[LENGTH];
    new Random(5).nextBytes(bytes);
    try (ServeProcess killed = serve("--layout", layout, "--buffer", "4M");
        CheckpointClient client = CheckpointClient.connect(killed.directory(), 0, 1)) {
      final Checkpoint checkpoint = client.begin(7);
      final ImageChannel image = checkpoint.image("u");
      image.write(ByteBuffer.wrap(bytes, 0, LENGTH / 2));
      killed.kill();
      image.write(ByteBuffer.wrap(bytes, LENGTH / 2, 100_000));
      final CompletableFuture<Void> late = connectOnAnotherThread(killed.directory());
      try (ServeProcess resumed = serve("--resume", "--layout", layout, "--buffer", "4M")) {
        collectGarbage();
        image.write(ByteBuffer.wrap(bytes, LENGTH / 2 + 100_000, LENGTH / 2 - 100_000));
        checkpoint.complete();
        assertThat(checkpoint.awaitDurable(LONG)).isTrue();
        assertThat(read(client, "u")).isEqualTo(bytes);
        client.close();
        late.get(LONG.toSeconds(), TimeUnit.SECONDS);
        assertThat(resumed.stop()).isZero();
        assertThat(resumed.errors()).isEmpty();
      }
    }
  }

  /** A process that starts while nobody listens waits, too. */
  private static CompletableFuture<Void> connectOnAnotherThread(final Path directory) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            CheckpointClient.connect(directory, 0, 1).close();
          } catch (final IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  private static void write(final Checkpoint checkpoint, final String name, final int value)
      throws IOException {
    try (ImageChannel image = checkpoint.image(name)) {
      image.write(ByteBuffer.wrap(new byte[] {(byte) value}));
    }
  }
}
