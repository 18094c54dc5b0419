package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.client.Checkpoint;
import org.sluice.client.CheckpointClient;
import org.sluice.client.CheckpointException;
import org.sluice.client.ImageChannel;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.fault.Fault;
import org.sluice.core.libc.Errno;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.node.PosixStore;

/** Storage that fails for a while, below a client that goes on. */
@Timeout(240)
class StorageFaultTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int CHECKPOINTS = 36;
  private static final int CHUNK = 64 << 10;

  @TempDir Path root;

  private final Map<Long, byte[]> written = new HashMap<>();

  private ServeProcess start(final String layout, final String... faults) throws IOException {
    return ServeProcess.start(
        root,
        Map.of(Fault.VARIABLE, String.join(",", faults)),
        "--store",
        root.resolve("store").toString(),
        "--layout",
        layout,
        "--keep",
        "all",
        "--buffer",
        "2M",
        "--chunk",
        "64K",
        "--threshold",
        "64K");
  }

  @Test
  void containerLayoutTellsTheWriterAndGoesOn() throws Exception {
    goOnAfter(
        "container",
        "image-link:ENOSPC@1",
        "container-write:ENOSPC@9-12",
        "container-write:EDQUOT@19-22",
        "container-write:EROFS@29-32",
        "container-write:short@1-",
        "container-fsync:EIO@6",
        "image-fsync:EIO@8-9",
        "log-write:ENOSPC@10",
        "directory-fsync:EROFS@50-52",
        "log-write:EDQUOT@14",
        "log-fsync:EIO@16",
        "log-fsync:ENOSPC@20");
  }

  @Test
  void filesLayoutTellsTheWriterAndGoesOn() throws Exception {
    goOnAfter(
        "files",
        "image-link:EDQUOT@1",
        "image-write:ENOSPC@15-22",
        "image-write:EIO@50",
        "image-write:short@1-",
        "image-fsync:EIO@8",
        "image-fsync:EDQUOT@10-11",
        "log-write:EROFS@9",
        "log-write:short@1-",
        "log-fsync:EIO@14",
        "log-fsync:ENOSPC@20");
  }

  /**
   * Exactly those checkpoints are committed of which the writer met no error, the last among them,
   * and each is what was written; of the others it was told an errno.
   */
  private void goOnAfter(final String layout, final String... faults) throws Exception {
    final List<Long> committed = new ArrayList<>();
    final List<String> errors = new ArrayList<>();
    try (ServeProcess serve = start(layout, faults)) {
      try (CheckpointClient client = connect(serve)) {
        for (long number = 1; number <= CHECKPOINTS; number++) {
          try {
            write(client, number);
            committed.add(number);
          } catch (final CheckpointException e) {
            errors.add(Errno.describe(e.errno()));
          }
        }
        assertThat(client.checkpoints()).isEqualTo(committed);
        for (final long number : committed) {
          assertThat(read(client, number)).isEqualTo(written.get(number));
        }
      }
      assertThat(serve.stop()).isEqualTo(ExitStatus.NO_ROOM.code()); // the first fault
    }
    assertThat(committed).endsWith((long) CHECKPOINTS);
    final List<String> failing =
        Stream.of(faults)
            .filter(fault -> fault.contains(":E"))
            .map(StorageFaultTest::errno)
            .toList();
    assertThat(errors).hasSizeGreaterThanOrEqualTo(failing.size());
    assertThat(errors).allMatch(error -> error.matches(".*\\((ENOSPC|EDQUOT|EROFS|EIO)\\)"));
    assertThat(errors.stream().map(StorageFaultTest::errno)).containsAll(failing);
    assertThat(numbersInStore()).isEqualTo(committed);
  }

  /** The first that is named. */
  private static String errno(final String text) {
    return text.replaceFirst(".*?\\b(E[A-Z]{2,}).*", "$1");
  }

  private static CheckpointClient connect(final ServeProcess serve) throws IOException {
    return CheckpointClient.connect(serve.directory(), 0, 1);
  }

  /** Small writes over several chunks, a large one that goes direct, and at times a sync. */
  private void write(final CheckpointClient client, final long number) throws IOException {
    final Random random = new Random(number);
    final byte[] bytes = new byte[5 * CHUNK];
    random.nextBytes(bytes);
    written.put(number, bytes);
    final Checkpoint checkpoint = client.begin(number);
    try (ImageChannel image = checkpoint.image("state")) {
      for (int at = 0; at < 3 * CHUNK; ) {
        final int length = Math.min(1 + random.nextInt(5000), 3 * CHUNK - at);
        image.write(ByteBuffer.wrap(bytes, at, length));
        at += length;
      }
      image.write(ByteBuffer.wrap(bytes, 3 * CHUNK, 2 * CHUNK));
      if (number % 3 == 0) {
        image.sync();
      }
    }
    checkpoint.complete();
    assertThat(checkpoint.awaitDurable(LONG)).isTrue();
  }

  private static byte[] read(final CheckpointClient client, final long number) throws IOException {
    try (SeekableByteChannel image = client.restart(number, "state")) {
      final ByteBuffer bytes = ByteBuffer.allocate((int) image.size());
      while (image.read(bytes) > 0) {
        // all of it
      }
      return bytes.array();
    }
  }

  private List<Long> numbersInStore() throws IOException {
    try (PosixStore store = PosixStore.open(root.resolve("store"))) {
      return store.commits().stream().map(Commit::number).toList();
    }
  }

  /** Several chunks are written at once; one that cannot be must not fail the others. */
  @Test
  void aWriteOfChunksThatFailsIsMadeAgainForEach() throws Exception {
    try (ServeProcess serve = start("container", "container-write:ENOSPC@1");
        CheckpointClient client = connect(serve)) {
      write(client, 1);
      assertThat(read(client, 1)).isEqualTo(written.get(1L));
    }
  }

  /**
   * The kernel tells of lost pages once. Here the writer of one image hears it; another image in
   * the same chunk must not be committed because a second sync succeeds.
   */
  @Test
  void whatOneFailedSyncLostIsNotCommittedByALaterOne() throws Exception {
    try (ServeProcess serve = start("container", "container-fsync:EIO@1");
        CheckpointClient client = connect(serve)) {
      final ImageChannel told = client.begin(1).image("told");
      final Checkpoint second = client.begin(2);
      final ImageChannel untold = second.image("untold");
      told.write(ByteBuffer.wrap(new byte[100]));
      untold.write(ByteBuffer.wrap(new byte[100]));
      assertThatThrownBy(told::sync).hasMessageContaining("EIO");
      assertThatThrownBy(told::close).hasMessageContaining("EIO");
      assertThatThrownBy(
              () -> {
                untold.close();
                second.complete();
                second.awaitDurable(LONG);
              })
          .hasMessageContaining("EIO");
      write(client, 3);
      assertThat(client.checkpoints()).containsExactly(3L);
    }
  }

  @Test
  void anImageThatNeedsAContainerNoMoreDoesNotFailWithIt() throws Exception {
    try (ServeProcess serve = start("container", "container-fsync:EIO@1");
        CheckpointClient client = connect(serve)) {
      final Checkpoint first = client.begin(1);
      final ImageChannel kept = first.image("kept");
      final Checkpoint second = client.begin(2);
      final ImageChannel lost = second.image("lost");
      for (int i = 0; i < 100; i++) {
        kept.write(ByteBuffer.wrap(new byte[1000]));
      }
      lost.write(ByteBuffer.wrap(new byte[100]));
      kept.position(0).read(ByteBuffer.allocate(1)); // now its own file has it
      lost.close();
      second.complete();
      assertThatThrownBy(() -> second.awaitDurable(LONG)).hasMessageContaining("EIO");
      kept.close();
      first.complete();
      assertThat(first.awaitDurable(LONG)).isTrue();
    }
  }

  @Test
  void aFailedCommitIsToldToWhoAsksAfterAKill() throws Exception {
    afterAFailedCommitAndAKill(
        (client, failed, resumed) -> {
          assertThatThrownBy(() -> failed.awaitDurable(LONG))
              .hasMessageMatching("checkpoint 1 is not committed: .*ENOSPC.*");
          assertThat(complete(client, 1).awaitDurable(LONG)).isTrue();
          assertThat(failed.awaitDurable(LONG)).isTrue();
          assertThat(resumed.stop()).isZero();
        });
  }

  @Test
  void aFailedCommitCountsAlsoAfterAKill() throws Exception {
    afterAFailedCommitAndAKill(
        (client, failed, resumed) -> {
          assertThat(complete(client, 2).awaitDurable(LONG)).isTrue();
          assertThat(resumed.stop()).isEqualTo(ExitStatus.NO_ROOM.code());
        });
  }

  /** What a client sees of the I/O process that is resumed. */
  @FunctionalInterface
  private interface Sequel {
    void by(CheckpointClient client, Checkpoint failed, ServeProcess resumed) throws Exception;
  }

  private void afterAFailedCommitAndAKill(final Sequel sequel) throws Exception {
    final ServeProcess killed = start("container", "log-write:ENOSPC@1");
    try (killed;
        CheckpointClient client = connect(killed)) {
      final Checkpoint first = complete(client, 1);
      assertThatThrownBy(() -> first.awaitDurable(LONG)).hasMessageContaining("ENOSPC");
      killed.kill();
      try (ServeProcess resumed = start("container")) {
        sequel.by(client, first, resumed);
      }
    }
  }

  /** A commit fails with its record; one whose directory cannot follow does not. */
  @Test
  void aCommitFailsWithItsRecordOnly() throws Exception {
    final String[] faults = {
      "log-write:ENOSPC@2", "log-fsync:EIO@4", "log-follow:EROFS@4", "log-settle:EIO@6"
    };
    final List<Long> committed = new ArrayList<>();
    final List<String> errors = new ArrayList<>();
    try (ServeProcess serve = start("container", faults)) {
      try (CheckpointClient client = connect(serve)) {
        for (long number = 1; number <= 12; number++) {
          try {
            assertThat(complete(client, number).awaitDurable(LONG)).isTrue();
            committed.add(number);
          } catch (final CheckpointException e) {
            errors.add(errno(e.getMessage()));
          }
        }
        assertThat(client.checkpoints()).isEqualTo(committed);
      }
      assertThat(serve.stop()).isEqualTo(ExitStatus.NO_ROOM.code());
    }
    assertThat(errors).containsExactly("ENOSPC", "EIO");
    assertThat(committed).hasSize(10);
    assertThat(numbersInStore()).isEqualTo(committed);
  }

  private static Checkpoint complete(final CheckpointClient client, final long number)
      throws IOException {
    final Checkpoint checkpoint = client.begin(number);
    try (ImageChannel image = checkpoint.image("state")) {
      image.write(ByteBuffer.wrap(new byte[100]));
    }
    checkpoint.complete();
    return checkpoint;
  }
}
