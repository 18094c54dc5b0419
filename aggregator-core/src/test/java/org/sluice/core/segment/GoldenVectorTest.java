package org.sluice.core.segment;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.chunk.ChunkBuilder;
import org.sluice.core.chunk.ChunkDescriptor;

/**
 * The bytes of every structure of the segment, as {@code golden/README.md} describes them. The C
 * tests read and write the same files. After an intended change of the format the new bytes are in
 * {@code target/golden}.
 */
class GoldenVectorTest {
  private static final Geometry GEOMETRY = new Geometry(4, 64, 8, 4096);
  private static final int SLOT = 2;
  private static final int RANK = 5;
  private static final long SESSION = 0x1122_3344_5566_7788L;

  @TempDir Path directory;
  private Segment segment;

  @BeforeEach
  void createSegment() throws IOException {
    final SegmentSettings settings =
        new SegmentSettings(
            SESSION,
            Layout.CONTAINER,
            new WriteRules(
                1 << 20, HeaderDescriptor.POLICY_AUTO, HeaderDescriptor.WHEN_FULL_WAIT, 64 << 10),
            "/store",
            "/capture");
    segment = TestSegments.create(directory.resolve("segment"), GEOMETRY, settings);
    segment.slot(SLOT).attach(new ProcessIdentity(4243, 987_654_321), RANK, 8, 1);
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
    segment.header().sleeping(HeaderDescriptor.ASLEEP);
    segment.header().heartbeat(1_700_000_000_123L);

    assertGolden("header.bin", header);
  }

  @Test
  void slot() throws IOException {
    final long offset = GEOMETRY.slotsOffset() + (long) SLOT * SlotDescriptor.LENGTH;
    final UnsafeBuffer slot = new UnsafeBuffer(segment.address() + offset, SlotDescriptor.LENGTH);
    count(slot, SlotDescriptor.AGGREGATED_WRITES_OFFSET, 63, 1);
    count(slot, SlotDescriptor.AGGREGATED_BYTES_OFFSET, 63, 63);
    count(slot, SlotDescriptor.AGGREGATED_WRITES_OFFSET, 64, 1);
    count(slot, SlotDescriptor.AGGREGATED_BYTES_OFFSET, 64, 64);
    count(slot, SlotDescriptor.DIRECT_WRITES_OFFSET, 1 << 20, 1);
    count(slot, SlotDescriptor.DIRECT_BYTES_OFFSET, 1 << 20, 1 << 20);
    slot.putLong(
        SlotDescriptor.REASON_BYTES_OFFSET + Long.BYTES * Reason.THRESHOLD.ordinal(), 1 << 20);
    slot.putLong(SlotDescriptor.WAITS_OFFSET, 1);
    slot.putLong(SlotDescriptor.WAIT_NANOS_OFFSET, 1234);
    slot.putLong(SlotDescriptor.FALLBACKS_OFFSET, 1);
    slot.putLong(SlotDescriptor.OVERFLOWS_OFFSET, 1);

    assertGolden("slot.bin", slot);
  }

  private static void count(
      final UnsafeBuffer slot, final int counters, final long length, final long amount) {
    slot.putLong(counters + Long.BYTES * SlotDescriptor.sizeClass(length), amount);
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
    final ChunkBuilder chunk = new ChunkBuilder(4096, SESSION);
    chunk.buffer().putInt(ChunkDescriptor.SLOT_OFFSET, SLOT);
    chunk.buffer().putInt(ChunkDescriptor.RANK_OFFSET, RANK);
    chunk.write(7, 0, "hello, world".getBytes(UTF_8));
    chunk.direct(7, 1 << 20, (1 << 20) + 4096);
    chunk.truncate(7, 1000);
    chunk.write(8, 1L << 33, (byte) 'x');

    assertGolden("chunk.bin", chunk.buffer());
  }

  @Test
  void ringAndChunkStates() throws IOException {
    for (int i = 0; i < 3; i++) {
      Claims.publish(segment.chunkPool(), Claims.claim(segment.chunkPool(), SLOT, 0));
      final UnsafeBuffer body = new UnsafeBuffer(new byte[RingDescriptor.BODY_LENGTH]);
      body.putInt(RingDescriptor.CHUNK_OFFSET, i);
      body.putInt(RingDescriptor.USED_OFFSET, 89 + i);
      body.putLong(RingDescriptor.SEQUENCE_OFFSET, 1 + i);
      TestSegments.ring(segment, SLOT)
          .write(RingDescriptor.TYPE_CHUNK, body, 0, RingDescriptor.BODY_LENGTH);
    }
    Claims.claim(segment.chunkPool(), 1, 4);
    Claims.claim(segment.chunkPool(), 3, 6);
    Claims.publish(segment.chunkPool(), 6);
    segment.chunkPool().release(6, segment.chunkPool().word(6));

    final long ring = GEOMETRY.ringsOffset() + (long) SLOT * RingDescriptor.LENGTH;
    assertGolden("ring.bin", new UnsafeBuffer(segment.address() + ring, RingDescriptor.LENGTH));
    assertGolden(
        "chunk-states.bin",
        new UnsafeBuffer(
            segment.address() + GEOMETRY.chunkStatesOffset(), 8 * GEOMETRY.chunkCount()));
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
