package org.sluice.core.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.chunk.RecordDescriptor;
import org.sluice.core.segment.Geometry;
import org.sluice.core.segment.HeaderDescriptor;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.ProcessIdentity;
import org.sluice.core.segment.Reason;
import org.sluice.core.segment.RingDescriptor;
import org.sluice.core.segment.Segment;
import org.sluice.core.segment.SegmentSettings;
import org.sluice.core.segment.Slot;
import org.sluice.core.segment.SlotDescriptor;

/**
 * The bytes of every structure of the segment, as {@code golden/README.md} describes them. The C
 * tests read and write the same files. After an intended change of the format the new bytes are in
 * {@code target/golden}.
 */
class GoldenVectorTest {
  private static final Geometry GEOMETRY = new Geometry(4, 64, 8, 4096);
  private static final int SLOT = 2;
  private static final int RANK = 5;

  @TempDir Path directory;
  private Segment segment;
  private ChunkWriter writer;

  @BeforeEach
  void createSegment() throws IOException {
    final SegmentSettings settings =
        new SegmentSettings(
            0x1122_3344_5566_7788L,
            HeaderDescriptor.LAYOUT_CONTAINER,
            1 << 20,
            HeaderDescriptor.POLICY_AUTO,
            HeaderDescriptor.WHEN_FULL_WAIT,
            "/store",
            "/capture");
    segment = Segment.create(directory.resolve("segment"), GEOMETRY, settings);
    segment.slot(SLOT).attach(new ProcessIdentity(4243, 987_654_321), RANK, 8, 1);
    writer = new ChunkWriter(segment, SLOT, RANK, () -> {}, Duration.ZERO);
  }

  @AfterEach
  void closeSegment() {
    segment.close();
  }

  @Test
  void header() throws IOException {
    final UnsafeBuffer header = new UnsafeBuffer(segment.address(), HeaderDescriptor.LENGTH);
    header.putInt(HeaderDescriptor.PID_OFFSET, 4242);
    header.putLong(HeaderDescriptor.START_TIME_OFFSET, 123_456_789);
    segment.header().sleeping(true);
    segment.header().heartbeat(1_700_000_000_123L);

    assertGolden("header.bin", header);
  }

  @Test
  void slot() throws IOException {
    final Slot slot = segment.slot(SLOT);
    slot.countAggregated(63);
    slot.countAggregated(64);
    slot.countDirect(1 << 20, Reason.THRESHOLD);
    slot.countWait(1234);
    slot.countFallback();
    slot.countOverflow();

    final long offset = GEOMETRY.slotsOffset() + (long) SLOT * SlotDescriptor.LENGTH;
    assertGolden("slot.bin", new UnsafeBuffer(segment.address() + offset, SlotDescriptor.LENGTH));
  }

  @Test
  void images() throws IOException {
    segment.imageTable().insert(8L << 32 | 1, 42, 7, ImageDescriptor.STATE_DIVERTED, 1L << 33);
    final int failed =
        segment
            .imageTable()
            .insert(259L << 32 | 3, 0xFEDC_BA98_7654_3210L, 8, ImageDescriptor.STATE_COMMITTED, 17);
    segment.imageTable().error(failed, 28);

    assertGolden(
        "images.bin",
        new UnsafeBuffer(
            segment.address() + GEOMETRY.imagesOffset(),
            GEOMETRY.images() * ImageDescriptor.LENGTH));
  }

  @Test
  void chunk() throws IOException {
    write(7, 0, "hello");
    write(7, 5, ", world");
    writer.mark(RecordDescriptor.TYPE_DIRECT, 7, 1 << 20, 1 << 20, true);
    writer.mark(RecordDescriptor.TYPE_DIRECT, 7, 2 << 20, 4096, true);
    writer.mark(RecordDescriptor.TYPE_TRUNCATE, 7, 1000, 0, true);
    write(8, 1L << 33, "x");

    assertGolden("chunk.bin", segment.chunk(0));
  }

  @Test
  void ringAndChunkStates() throws IOException {
    for (int i = 1; i <= 3; i++) {
      write(i, 0, "x".repeat(i));
      writer.publish();
    }
    segment.chunkPool().claim(1, 4);
    segment.chunkPool().claim(3, 6);
    segment.chunkPool().publish(6);
    segment.chunkPool().release(6, segment.chunkPool().word(6));

    final long ring = GEOMETRY.ringsOffset() + (long) SLOT * RingDescriptor.LENGTH;
    assertGolden("ring.bin", new UnsafeBuffer(segment.address() + ring, RingDescriptor.LENGTH));
    assertGolden(
        "chunk-states.bin",
        new UnsafeBuffer(
            segment.address() + GEOMETRY.chunkStatesOffset(), 8 * GEOMETRY.chunkCount()));
  }

  private void write(final int image, final long offset, final String text) throws IOException {
    assertThat(writer.write(image, offset, ByteBuffer.wrap(text.getBytes(UTF_8)))).isTrue();
  }

  private static void assertGolden(final String name, final UnsafeBuffer buffer)
      throws IOException {
    final byte[] actual = new byte[buffer.capacity()];
    buffer.getBytes(0, actual);
    final Path copy = Path.of("target", "golden", name);
    Files.createDirectories(copy.getParent());
    Files.write(copy, actual);
    try (InputStream golden = GoldenVectorTest.class.getResourceAsStream("/golden/" + name)) {
      assertThat(golden).as("golden/%s", name).isNotNull();
      assertThat(actual).as("%s", copy.toAbsolutePath()).isEqualTo(golden.readAllBytes());
    }
  }
}
