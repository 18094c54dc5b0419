package org.sluice.iop.drain;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.chunk.ChunkDescriptor;
import org.sluice.core.chunk.ChunkReader;
import org.sluice.core.chunk.RecordDescriptor;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.segment.ChunkStateDescriptor;
import org.sluice.core.segment.Claims;
import org.sluice.core.segment.Geometry;
import org.sluice.core.segment.HeaderDescriptor;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Layout;
import org.sluice.core.segment.Segment;
import org.sluice.core.segment.SegmentSettings;
import org.sluice.core.segment.TestSegments;
import org.sluice.core.segment.WriteRules;
import org.sluice.core.store.disk.WriteMode;
import org.sluice.core.store.disk.WritesInFlight;
import org.sluice.iop.image.Descriptors;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageRegistry;
import org.sluice.iop.image.Images;
import org.sluice.iop.image.OutsideReaders;
import org.sluice.iop.journal.Journal;
import org.sluice.iop.measure.Statistics;

/** What becomes of chunks that wait to be written together. */
class FilesSinkTest {
  private static final long SESSION = 7;
  private static final int SLOT = 0;

  @TempDir private Path root;
  private Segment segment;
  private Journal journal;
  private WritesInFlight flight;
  private DrainContext context;

  @BeforeEach
  void open() throws IOException {
    segment =
        TestSegments.create(
            root.resolve("segment"),
            new Geometry(1, 64, 4, 16384),
            new SegmentSettings(
                SESSION,
                Layout.FILES,
                new WriteRules(
                    Long.MAX_VALUE,
                    HeaderDescriptor.POLICY_FIXED,
                    HeaderDescriptor.WHEN_FULL_WAIT,
                    0),
                root.toString(),
                ""));
    journal = Journal.create(root.resolve("journal"), SESSION, () -> new Images(Layout.FILES));
    flight = new WritesInFlight();
    final Statistics statistics =
        new Statistics(1 << 20, () -> "", segment.header(), () -> WriteMode.FAR_FILES);
    context =
        new DrainContext(
            segment,
            journal,
            statistics,
            new FilesSink(
                statistics, journal.inFlight(), flight, 1 << 20, () -> WriteMode.FAR_FILES),
            null,
            new ChunkReading(
                SESSION, new AppendRights(), new ChunkReader(), new ExtentTable.Pool()),
            new AtomicReferenceArray<>(segment.geometry().chunkCount()));
  }

  @AfterEach
  void close() throws IOException {
    flight.close();
    journal.close();
    segment.close();
  }

  /** Its process would be given memory that a write is about to take. */
  @Test
  void aChunkOfWhichNothingCountsStaysUntilWhatWasSeenOfItIsWritten() throws Exception {
    final Image image = image("file");
    final int chunk = Claims.claim(segment.chunkPool(), SLOT, 0);
    write(segment.chunk(chunk), image.id(), "written");
    pass(new PeekWork(context, SLOT, chunk, segment.chunkPool().word(chunk)));
    Claims.publish(segment.chunkPool(), chunk);
    final long word = segment.chunkPool().word(chunk);
    pass(new DrainWork(context, SLOT, chunk, word, ChunkDescriptor.HEADER_LENGTH));
    assertThat(segment.chunkPool().word(chunk)).isEqualTo(word);
    context.sink().flush(() -> false);
    assertThat(ChunkStateDescriptor.state(segment.chunkPool().word(chunk)))
        .isEqualTo(ChunkStateDescriptor.FREE);
    assertThat(root.resolve("file")).hasContent("written");
  }

  private static void pass(final ChunkWork work) {
    work.validate();
    work.write();
  }

  private Image image(final String name) throws Exception {
    final ImageRegistry registry =
        new ImageRegistry(
            segment.imageTable(),
            new Images(Layout.FILES),
            journal,
            OutsideReaders.NONE,
            new Descriptors(null, Set.of()));
    final NativeFile file =
        NativeFile.open(root.resolve(name), NativeFile.Flag.WRITE, NativeFile.Flag.CREATE);
    final Image image = registry.admit(file, ImageDescriptor.STATE_DIVERTED);
    context.reading().grants().grant(SLOT, image);
    return image;
  }

  /** What a process does to an open chunk. */
  private static void write(final UnsafeBuffer memory, final int image, final String text) {
    final byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    final int record = ChunkDescriptor.HEADER_LENGTH;
    memory.putLong(ChunkDescriptor.SESSION_ID_OFFSET, SESSION);
    memory.putLong(ChunkDescriptor.SEQUENCE_OFFSET, 1);
    memory.putInt(ChunkDescriptor.SLOT_OFFSET, SLOT);
    memory.putInt(ChunkDescriptor.RANK_OFFSET, -1);
    memory.putInt(ChunkDescriptor.VERSION_OFFSET, ChunkDescriptor.VERSION);
    memory.putInt(ChunkDescriptor.MAGIC_OFFSET, ChunkDescriptor.MAGIC);
    memory.putInt(record + RecordDescriptor.TYPE_OFFSET, RecordDescriptor.TYPE_WRITE);
    memory.putInt(record + RecordDescriptor.IMAGE_ID_OFFSET, image);
    memory.putLong(record + RecordDescriptor.OFFSET_OFFSET, 0);
    memory.putLong(record + RecordDescriptor.LENGTH_OFFSET, bytes.length);
    memory.putBytes(record + RecordDescriptor.HEADER_LENGTH, bytes);
    memory.putIntRelease(
        ChunkDescriptor.USED_OFFSET, record + RecordDescriptor.HEADER_LENGTH + bytes.length);
  }
}
