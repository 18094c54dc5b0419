package org.sluice.core.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.chunk.ChunkDescriptor;
import org.sluice.core.chunk.ChunkReader;
import org.sluice.core.chunk.RecordDescriptor;
import org.sluice.core.segment.Geometry;
import org.sluice.core.segment.HeaderDescriptor;
import org.sluice.core.segment.ProcessIdentity;
import org.sluice.core.segment.Reason;
import org.sluice.core.segment.RingDescriptor;
import org.sluice.core.segment.Segment;
import org.sluice.core.segment.SegmentSettings;

class ChunkWriterTest {
  private static final int CHUNK_LENGTH = 4096;
  private static final int CHUNKS = 4;
  private static final int FIRST_PAYLOAD =
      ChunkDescriptor.HEADER_LENGTH + RecordDescriptor.HEADER_LENGTH;

  private final AtomicInteger rings = new AtomicInteger();

  @TempDir Path directory;
  private Segment segment;
  private ChunkWriter writer;

  @BeforeEach
  void createSegment() throws IOException {
    segment =
        Segment.create(
            directory.resolve("segment"),
            new Geometry(2, 64, CHUNKS, CHUNK_LENGTH),
            new SegmentSettings(
                1,
                HeaderDescriptor.LAYOUT_CONTAINER,
                0,
                HeaderDescriptor.POLICY_FIXED,
                HeaderDescriptor.WHEN_FULL_WAIT,
                "/store",
                ""));
    segment.slot(0).attach(ProcessIdentity.current(), 0, 1, 1);
    writer = new ChunkWriter(segment, 0, 0, rings::incrementAndGet, Duration.ofMillis(20));
  }

  @AfterEach
  void closeSegment() {
    segment.close();
  }

  @Test
  void longWriteIsSplitOverChunksWithoutLoss() throws IOException {
    final ByteBuffer source = ByteBuffer.allocate(3 * (CHUNK_LENGTH - FIRST_PAYLOAD));
    for (int i = 0; i < source.capacity(); i++) {
      source.put(i, (byte) (i * 31));
    }

    assertThat(writer.write(5, 100, source)).isTrue();
    writer.publish();

    final byte[] read = new byte[source.capacity()];
    assertThat(drain(record -> copy(record, read, 100))).isEqualTo(3);
    assertThat(read).isEqualTo(source.array());
  }

  @Test
  void writeThatFindsNoChunkSaysSoAndKeepsWhatFitted() throws IOException {
    final ByteBuffer source = ByteBuffer.allocate(CHUNKS * CHUNK_LENGTH);

    assertThat(writer.write(5, 0, source)).isFalse();
    assertThat(source.position()).isEqualTo(CHUNKS * (CHUNK_LENGTH - FIRST_PAYLOAD));
    assertThat(segment.slot(0).waits()).isEqualTo(1);
    assertThat(segment.slot(0).waitNanos()).isGreaterThan(Duration.ofMillis(20).toNanos());
  }

  @Test
  void afterAWaitInVainTheNextIsNotBegunBeforeARelease() throws IOException {
    final Duration patience =
        Duration.ofSeconds(1); // longer than a scheduler keeps anybody waiting
    writer = new ChunkWriter(segment, 0, 0, () -> {}, patience);
    writer.write(5, 0, ByteBuffer.allocate(CHUNKS * CHUNK_LENGTH));
    final long first = segment.slot(0).waitNanos();
    writer.write(5, 0, ByteBuffer.allocate(1));

    assertThat(segment.slot(0).waits()).isEqualTo(2);
    assertThat(segment.slot(0).waitNanos() - first).isLessThan(patience.toNanos());
    drain(record -> {});
    assertThat(writer.write(5, 0, ByteBuffer.allocate(1))).isTrue();
  }

  @Test
  void doorbellRingsOnlyWhileTheIoProcessSleeps() throws IOException {
    writer.write(5, 0, ByteBuffer.allocate(1));
    writer.publish();
    assertThat(rings).hasValue(0);

    segment.header().sleeping(true);
    writer.write(5, 0, ByteBuffer.allocate(1));
    assertThat(rings).hasValue(0);
    writer.publish();
    assertThat(rings).hasValue(1);
  }

  @Test
  void publishWithoutAnOpenChunkDoesNothing() throws IOException {
    segment.header().sleeping(true);
    writer.publish();

    assertThat(rings).hasValue(0);
    assertThat(segment.ring(0).size()).isZero();
  }

  @Test
  void chunkReusedByTheNextOwnerReadsAsEmptyUntilItsHeaderIsComplete() throws IOException {
    writer.write(5, 0, ByteBuffer.allocate(1));
    writer.publish();
    drain(record -> {});
    final int chunk = segment.chunkPool().claim(1, 0);

    assertThat(segment.chunk(chunk).getInt(ChunkDescriptor.USED_OFFSET)).isZero();
  }

  @Test
  void paddingInAReusedChunkIsZero() throws IOException {
    segment.chunk(0).setMemory(FIRST_PAYLOAD, CHUNK_LENGTH - FIRST_PAYLOAD, (byte) 0xFF);
    writer.write(5, 0, ByteBuffer.allocate(1));
    writer.write(6, 0, ByteBuffer.allocate(1));

    final byte[] padding = new byte[RecordDescriptor.ALIGNMENT - 1];
    segment.chunk(0).getBytes(FIRST_PAYLOAD + 1, padding);
    assertThat(padding).containsOnly(0);
  }

  @Test
  void slotOfAnotherIsNotWrittenTo() throws IOException {
    writer.write(5, 0, ByteBuffer.allocate(100));
    segment.slot(0).detach();
    expectNothingIsStored();
    segment.slot(0).attach(ProcessIdentity.current(), 0, 1, 2);
    expectNothingIsStored();
  }

  private void expectNothingIsStored() {
    final byte[] before = bytesOfSegment();
    assertThatThrownBy(() -> writer.write(5, 100, ByteBuffer.allocate(7)))
        .hasMessageContaining("lost its slot");
    assertThatThrownBy(() -> writer.mark(RecordDescriptor.TYPE_DIRECT, 5, 0, 9, true))
        .hasMessageContaining("lost its slot");
    assertThatThrownBy(() -> writer.publish()).hasMessageContaining("lost its slot");
    assertThatThrownBy(() -> writer.end(5, 0)).hasMessageContaining("lost its slot");
    writer.countDirect(10, 10, Reason.THRESHOLD);
    assertThat(bytesOfSegment()).isEqualTo(before);
  }

  private byte[] bytesOfSegment() {
    try {
      return Files.readAllBytes(directory.resolve("segment"));
    } catch (final IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void threadsOfAProcessLogWithoutMixingTheirBytes() throws Exception {
    final int threads = 4;
    final int length = 100_000;
    final byte[][] images = new byte[threads][length];
    writer = new ChunkWriter(segment, 0, 0, () -> {}, Duration.ofSeconds(60));
    final List<Future<Boolean>> writes = new ArrayList<>();
    try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
      for (int thread = 0; thread < threads; thread++) {
        final int image = thread + 1;
        writes.add(executor.submit(() -> writePieces(image, length)));
      }
      while (!writes.stream().allMatch(Future::isDone)) {
        drain(record -> copy(record, images[record.imageId() - 1], 0));
      }
    }
    writer.publish();
    drain(record -> copy(record, images[record.imageId() - 1], 0));

    for (int image = 0; image < threads; image++) {
      assertThat(writes.get(image).get()).isTrue();
      for (int i = 0; i < length; i++) {
        assertThat(images[image][i]).isEqualTo(pattern(image + 1, i));
      }
    }
  }

  private boolean writePieces(final int image, final int length) throws IOException {
    int offset = 0;
    boolean complete = true;
    while (offset < length) {
      final byte[] piece = new byte[Math.min(1 + (offset * 7 + image) % 300, length - offset)];
      for (int i = 0; i < piece.length; i++) {
        piece[i] = pattern(image, offset + i);
      }
      complete &= writer.write(image, offset, ByteBuffer.wrap(piece));
      offset += piece.length;
    }
    return complete;
  }

  private static byte pattern(final int image, final int offset) {
    return (byte) (offset * 31 + image);
  }

  private static void copy(final ChunkReader record, final byte[] image, final int origin) {
    record
        .chunk()
        .getBytes(record.payload(), image, (int) record.offset() - origin, (int) record.length());
  }

  /** Takes what was published and releases the chunks; returns how many they were. */
  private int drain(final Consumer<ChunkReader> consumer) {
    return segment
        .ring(0)
        .read(
            (type, buffer, index, length) -> {
              final int chunk = buffer.getInt(index + RingDescriptor.CHUNK_OFFSET);
              final int used = buffer.getInt(index + RingDescriptor.USED_OFFSET);
              try {
                final ChunkReader record = new ChunkReader().wrap(segment.chunk(chunk), used, 1);
                while (record.next()) {
                  consumer.accept(record);
                }
              } catch (final IOException e) {
                throw new AssertionError(e);
              }
              segment.chunkPool().release(chunk, segment.chunkPool().word(chunk));
            });
  }
}
