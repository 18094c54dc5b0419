package org.sluice.core.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.sluice.core.chunk.ChunkReader;
import org.sluice.core.segment.Geometry;
import org.sluice.core.segment.HeaderDescriptor;
import org.sluice.core.segment.ProcessIdentity;
import org.sluice.core.segment.RingDescriptor;
import org.sluice.core.segment.Segment;
import org.sluice.core.segment.SegmentSettings;

/**
 * A producer in one JVM, a consumer in another, and a pool too small for what passes through it.
 */
@Isolated("The process it starts has the locks of this JVM, until it executes.")
class TwoProcessTest {
  private static final int LENGTH = 16 << 20;
  private static final int SESSION = 5;

  @TempDir Path directory;

  @Test
  @Timeout(240)
  void everyByteArrivesInOrderThroughASmallPool() throws Exception {
    final Path file = directory.resolve("segment");
    final SegmentSettings settings =
        new SegmentSettings(
            SESSION,
            HeaderDescriptor.LAYOUT_FILES,
            0,
            HeaderDescriptor.POLICY_FIXED,
            HeaderDescriptor.WHEN_FULL_WAIT,
            "/s",
            "");
    try (Segment segment = Segment.create(file, new Geometry(1, 64, 4, 16384), settings)) {
      final Process producer = startProducer(file);
      final AtomicLong arrived = new AtomicLong();
      while (arrived.get() < LENGTH && (producer.isAlive() || segment.ring(0).size() > 0)) {
        drain(segment, arrived);
      }
      assertThat(producer.waitFor()).isZero();
      assertThat(arrived).hasValue(LENGTH);
      assertThat(segment.header().freeChunks()).isEqualTo(4);
    }
  }

  private static Process startProducer(final Path file) throws IOException {
    return new ProcessBuilder(
            ProcessHandle.current().info().command().orElseThrow(),
            "@" + Path.of("../scripts/jvm.options").toAbsolutePath(),
            "-cp",
            System.getProperty("java.class.path"),
            Producer.class.getName(),
            file.toString())
        .inheritIO()
        .start();
  }

  private static void drain(final Segment segment, final AtomicLong arrived) {
    segment
        .ring(0)
        .read(
            (type, buffer, index, length) -> {
              final int chunk = buffer.getInt(index + RingDescriptor.CHUNK_OFFSET);
              final int used = buffer.getInt(index + RingDescriptor.USED_OFFSET);
              try {
                check(new ChunkReader().wrap(segment.chunk(chunk), used, SESSION), arrived);
              } catch (final IOException e) {
                throw new AssertionError(e);
              }
              segment.chunkPool().release(chunk, segment.chunkPool().word(chunk));
            });
  }

  private static void check(final ChunkReader record, final AtomicLong arrived) throws IOException {
    while (record.next()) {
      assertThat(record.offset()).isEqualTo(arrived.get());
      for (int i = 0; i < record.length(); i++) {
        if (record.chunk().getByte(record.payload() + i) != pattern(record.offset() + i)) {
          throw new AssertionError("wrong byte at " + (record.offset() + i));
        }
      }
      arrived.addAndGet(record.length());
    }
  }

  private static byte pattern(final long offset) {
    return (byte) (offset * 31 + (offset >>> 12));
  }

  /** The other process. */
  static final class Producer {
    public static void main(final String[] args) throws IOException {
      try (Segment segment = Segment.map(Path.of(args[0]))) {
        segment.slot(0).attach(ProcessIdentity.current(), 0, 1, 1);
        final ChunkWriter writer = new ChunkWriter(segment, 0, 0, () -> {}, Duration.ofSeconds(60));
        int offset = 0;
        while (offset < LENGTH) {
          final ByteBuffer piece =
              ByteBuffer.allocate(Math.min(1 + offset % 5000, LENGTH - offset));
          for (int i = 0; i < piece.capacity(); i++) {
            piece.put(i, pattern(offset + i));
          }
          if (!writer.write(1, offset, piece)) {
            throw new IOException("no chunk at " + offset);
          }
          offset += piece.capacity();
        }
        writer.publish();
      }
    }

    private Producer() {}
  }
}
