package org.sluice.iop.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.chunk.ChunkDescriptor;
import org.sluice.core.segment.ChunkStateDescriptor;
import org.sluice.core.segment.Claims;
import org.sluice.core.segment.Geometry;
import org.sluice.core.segment.HeaderDescriptor;
import org.sluice.core.segment.Layout;
import org.sluice.core.segment.ProcessIdentity;
import org.sluice.core.segment.RingDescriptor;
import org.sluice.core.segment.Segment;
import org.sluice.core.segment.SegmentSettings;
import org.sluice.core.segment.TestSegments;
import org.sluice.core.segment.WriteRules;
import org.sluice.iop.crash.InFlight;
import org.sluice.iop.crash.Lane;
import org.sluice.iop.crash.Subject;
import org.sluice.iop.image.Images;
import org.sluice.iop.journal.Entry;

/** What becomes of a ring's record at which I/O processes fail one after the other. */
class RingsTest {
  private static final int MINE = 0;
  private static final int OTHER = 1;

  @TempDir private Path root;
  private final List<Integer> closed = new ArrayList<>();

  /** The chunks in the drain. */
  private final List<Integer> taken = new ArrayList<>();

  /** The steps of the process while its chunks are looked for. */
  private Runnable meanwhile = () -> {};

  private Segment segment;
  private InFlight inFlight;
  private int failsAt;

  @BeforeEach
  void open() throws IOException {
    segment =
        TestSegments.create(
            root.resolve("segment"),
            new Geometry(2, 64, 4, 16384),
            new SegmentSettings(
                1,
                Layout.FILES,
                new WriteRules(
                    Long.MAX_VALUE,
                    HeaderDescriptor.POLICY_FIXED,
                    HeaderDescriptor.WHEN_FULL_WAIT,
                    0),
                root.toString(),
                ""));
    inFlight = InFlight.open(root.resolve("inflight"), 1);
  }

  @AfterEach
  void close() {
    inFlight.close();
    segment.close();
  }

  private void publishClose(final int slot, final int image) {
    final OneToOneRingBuffer ring = TestSegments.ring(segment, slot);
    final int record = ring.tryClaim(RingDescriptor.TYPE_CLOSE, RingDescriptor.BODY_LENGTH);
    ring.buffer().putInt(record + RingDescriptor.IMAGE_ID_OFFSET, image);
    ring.commit(record);
  }

  private Attachment attachment(final int slot, final long generation) {
    final ProcessIdentity self = ProcessIdentity.current();
    final Images images = new Images(Layout.CONTAINER);
    images.apply(
        new Entry.Attached(slot, self.pid(), self.startTime(), slot, 2, 0, generation, 0, 0));
    return new Attachment(segment, images.writer(slot));
  }

  private Rings rings() {
    return new Rings(
        segment,
        (slot, chunk, word, used, position) -> taken.add(chunk),
        (chunk, word) -> {
          meanwhile.run();
          return taken.contains(chunk);
        },
        inFlight);
  }

  private void poll(final Attachment attachment) {
    final Rings rings = rings();
    rings.closing(this::take);
    rings.poll(attachment);
  }

  private void take(final Attachment attachment, final Rings.Close close) {
    if (close.imageId() == failsAt) {
      throw new IllegalStateException("a fault");
    }
    closed.add(close.imageId());
  }

  private void failAt(final Attachment attachment) throws IOException {
    assertThatThrownBy(() -> poll(attachment)).isInstanceOf(IllegalStateException.class);
    inFlight.failed(Lane.Role.SERVICE.thread());
    inFlight.close();
    inFlight = InFlight.open(root.resolve("inflight"), 1);
  }

  @Test
  void whatTwoInARowFailAtIsLeftOutAndNoOthersRecordAtTheSamePlace() throws IOException {
    publishClose(MINE, 7);
    publishClose(OTHER, 8);
    failsAt = 7;
    failAt(attachment(MINE, 1));
    failAt(attachment(MINE, 1));
    final Attachment mine = attachment(MINE, 1);
    poll(mine);
    assertThat(mine.isCorrupt()).isTrue();
    final Attachment other = attachment(OTHER, 1);
    poll(other);
    assertThat(other.isCorrupt()).isFalse();
    final Attachment next = attachment(MINE, 2);
    failsAt = 0;
    poll(next);
    assertThat(next.isCorrupt()).isFalse();
    assertThat(closed).containsExactly(8, 7);
  }

  @Test
  void aRequestThatLooksAtARingIsStillWhatIsHandled() {
    final Lane lane = inFlight.lane(Lane.Role.SERVICE);
    lane.begin(Subject.REQUEST, 5, OTHER, 3);
    final Lane.Handling request = lane.handling();
    publishClose(MINE, 7);
    poll(attachment(MINE, 1));
    assertThat(closed).containsExactly(7);
    assertThat(lane.handling()).isEqualTo(request);
  }

  /** Such a process keeps its slot: it opens the chunk once that has memory. */
  @Test
  void processThatMakesMemoryMayStore() throws IOException {
    assertThat(rings().mayStore(attachment(MINE, 1))).isFalse();
    segment.giveMemoryBack(0);
    Claims.make(segment.chunkPool(), OTHER, 2);
    assertThat(rings().mayStore(attachment(MINE, 1))).isFalse();
    Claims.make(segment.chunkPool(), MINE, 3);
    assertThat(rings().mayStore(attachment(MINE, 1))).isTrue();
  }

  /**
   * The process has a chunk in the middle, and then claims the first one, and then the last one.
   */
  @Test
  void chunkIsNotLookedIntoBeforeAnOlderOneIsTakenThatWasMissed() {
    Claims.claim(segment.chunkPool(), MINE, 1);
    meanwhile =
        () -> {
          meanwhile = () -> {};
          publishChunk(1);
          Claims.claim(segment.chunkPool(), MINE, 0);
          publishChunk(0);
          Claims.claim(segment.chunkPool(), MINE, 2);
        };
    assertThat(rings().oldestUnpublished(attachment(MINE, 1))).containsExactly(2);
    assertThat(taken).containsExactly(1, 0);
  }

  private void publishChunk(final int chunk) {
    Claims.publish(segment.chunkPool(), chunk);
    final OneToOneRingBuffer ring = TestSegments.ring(segment, MINE);
    final int record = ring.tryClaim(RingDescriptor.TYPE_CHUNK, RingDescriptor.BODY_LENGTH);
    ring.buffer().putInt(record + RingDescriptor.CHUNK_OFFSET, chunk);
    ring.buffer().putInt(record + RingDescriptor.USED_OFFSET, ChunkDescriptor.HEADER_LENGTH);
    ring.buffer()
        .putLong(
            record + RingDescriptor.GENERATION_OFFSET,
            ChunkStateDescriptor.generation(segment.chunkPool().word(chunk)));
    ring.commit(record);
  }
}
