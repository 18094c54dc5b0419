package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.sluice.client.Checkpoint;
import org.sluice.client.CheckpointClient;
import org.sluice.client.ImageChannel;
import org.sluice.core.chunk.RecordDescriptor;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.node.LoggedDisk;
import org.sluice.core.store.node.Remains;

/**
 * What clients wrote and were told of, by the position of the disk's log, and so what a store must
 * and may hold wherever the power fails.
 */
final class History {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int MOST_BYTES = 12_000;

  private final List<Attempt> attempts = new ArrayList<>();

  /**
   * A checkpoint that clients completed.
   *
   * @param begun the position before anybody had completed it
   * @param told the position at which a wait for it had returned
   */
  private record Attempt(long number, Map<String, ByteBuffer> images, int begun, int told) {}

  /** A checkpoint of all ranks: the next one, or now and then the last once more. */
  void write(final LoggedDisk disk, final List<CheckpointClient> ranks, final Random random)
      throws IOException {
    final long last = attempts.stream().mapToLong(Attempt::number).max().orElse(0);
    final long number = last > 0 && random.nextInt(5) == 0 ? last : last + 1;
    final Map<String, ByteBuffer> images = new TreeMap<>();
    final List<Checkpoint> parts = new ArrayList<>();
    for (int rank = 0; rank < ranks.size(); rank++) {
      final Checkpoint part = ranks.get(rank).begin(number);
      for (int i = 0; i <= random.nextInt(2); i++) {
        final ByteBuffer written = write(part.image("state" + i), random);
        images.put("rank-%04d/state%d".formatted(rank, i), written);
      }
      parts.add(part);
    }
    final int begun = disk.position();
    for (final Checkpoint part : parts) {
      part.complete();
    }
    assertThat(parts.getFirst().awaitDurable(PATIENCE)).isTrue();
    attempts.add(new Attempt(number, images, begun, disk.position()));
  }

  /** The next checkpoint as a captured file, which becomes one by its name. */
  void capture(
      final LoggedDisk disk, final RawProcess process, final Path directory, final Random random)
      throws IOException {
    final long number = attempts.stream().mapToLong(Attempt::number).max().orElse(0) + 1;
    final String name = "ckpt-" + number;
    final int id = process.create(directory.resolve(name)).imageId();
    final byte[] content = new byte[MOST_BYTES];
    int size = 0;
    try (FileChannel file = FileChannel.open(directory.resolve(name), StandardOpenOption.WRITE)) {
      for (int i = 0; i < 1 + random.nextInt(12); i++) {
        final byte[] bytes = new byte[1 + random.nextInt(1500)];
        random.nextBytes(bytes);
        final int at = random.nextInt(Math.min(size + 600, MOST_BYTES - bytes.length));
        if (random.nextInt(4) == 0) {
          file.write(ByteBuffer.wrap(bytes), at);
          process.publish(); // the next chunk has room for the record
          process.mark(RecordDescriptor.TYPE_DIRECT, id, at, bytes.length);
        } else {
          process.writeInChunks(id, at, bytes);
        }
        System.arraycopy(bytes, 0, content, at, bytes.length);
        size = Math.max(size, at + bytes.length);
      }
    }
    final int begun = disk.position();
    process.end(id);
    final Reply reply = process.call(new Request.Await(number, PATIENCE.toMillis()));
    assertThat(reply).isNotInstanceOf(Reply.Failed.class);
    final ByteBuffer written = ByteBuffer.wrap(Arrays.copyOf(content, size));
    attempts.add(new Attempt(number, Map.of(name, written), begun, disk.position()));
  }

  /** Small writes and direct ones, over each other, and a cut or a sync now and then. */
  private static ByteBuffer write(final ImageChannel image, final Random random)
      throws IOException {
    final byte[] content = new byte[MOST_BYTES];
    int size = 0;
    for (int i = 0; i < 1 + random.nextInt(12); i++) {
      final boolean direct = random.nextInt(4) == 0;
      final byte[] bytes =
          new byte[1 + random.nextInt(1500) + (direct ? LoggedIoProcess.THRESHOLD : 0)];
      random.nextBytes(bytes);
      final int at = random.nextInt(Math.min(size + 600, MOST_BYTES - bytes.length));
      image.position(at).write(ByteBuffer.wrap(bytes));
      System.arraycopy(bytes, 0, content, at, bytes.length);
      size = Math.max(size, at + bytes.length);
      if (random.nextInt(10) == 0) {
        final int cut = random.nextInt(size + 1);
        image.truncate(cut);
        Arrays.fill(content, cut, size, (byte) 0);
        size = cut;
      } else if (random.nextInt(10) == 0) {
        image.sync();
      }
    }
    return ByteBuffer.wrap(Arrays.copyOf(content, size));
  }

  /**
   * Holds what a power cut left against this.
   *
   * @param cut the position at which it came
   * @return what of it is there, as what comes before the next session
   */
  History compare(final Remains remains, final int cut) {
    final History left = new History();
    final List<Integer> there = new ArrayList<>();
    for (final Commit commit : remains.commits()) {
      final int index = indexOf(commit.number(), remains.images(commit), cut);
      if (index < 0) {
        remains.fault("checkpoint %d is not as anybody wrote it".formatted(commit.number()));
      } else {
        final Attempt attempt = attempts.get(index);
        there.add(index);
        left.attempts.add(new Attempt(attempt.number, attempt.images, 0, 0));
      }
    }
    for (int i = 0; i < attempts.size(); i++) {
      if (attempts.get(i).told <= cut && !there.contains(i) && !mayBeGone(i, there)) {
        remains.fault(
            "checkpoint %d, of which somebody was told, is lost".formatted(attempts.get(i).number));
      }
    }
    return left;
  }

  private int indexOf(final long number, final Map<String, ByteBuffer> images, final int cut) {
    for (int i = attempts.size() - 1; i >= 0; i--) {
      final Attempt attempt = attempts.get(i);
      if (attempt.number == number && attempt.begun <= cut && attempt.images.equals(images)) {
        return i;
      }
    }
    return -1;
  }

  /** It is superseded, or so many newer ones are there that it need not be kept. */
  private boolean mayBeGone(final int index, final List<Integer> there) {
    final Attempt attempt = attempts.get(index);
    for (int i = index + 1; i < attempts.size(); i++) {
      if (attempts.get(i).number == attempt.number && (there.contains(i) || mayBeGone(i, there))) {
        return true;
      }
    }
    final Set<Long> newer = new HashSet<>();
    there.stream().filter(i -> i > index).forEach(i -> newer.add(attempts.get(i).number));
    return newer.size() >= LoggedIoProcess.KEPT.most();
  }
}
