package org.sluice.core.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteOrder;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.posix.FileStatus;

class SegmentTest {
  private static final Geometry SMALL = new Geometry(4, 64, 8, 8192);
  private static final SegmentSettings SETTINGS =
      new SegmentSettings(
          0x1122_3344_5566_7788L,
          Layout.FILES,
          new WriteRules(
              65536, HeaderDescriptor.POLICY_AUTO, HeaderDescriptor.WHEN_FULL_DIRECT, 64 << 10),
          "/store/ä",
          "/capture");

  @TempDir Path directory;

  private Path file() {
    return directory.resolve("segment");
  }

  @Test
  void mappedSegmentSaysWhatTheCreatorSaid() throws IOException {
    try (Segment created = TestSegments.create(file(), SMALL, SETTINGS);
        Segment mapped = Segment.map(file())) {
      final Header header = mapped.header();
      assertThat(mapped.geometry()).isEqualTo(SMALL);
      assertThat(header.sessionId()).isEqualTo(SETTINGS.sessionId());
      assertThat(header.layout()).isEqualTo(Layout.FILES);
      assertThat(header.policy()).isEqualTo(HeaderDescriptor.POLICY_AUTO);
      assertThat(new UnsafeBuffer(mapped.address(), HeaderDescriptor.LENGTH))
          .returns(
              HeaderDescriptor.WHEN_FULL_DIRECT, h -> h.getInt(HeaderDescriptor.WHEN_FULL_OFFSET));
      assertThat(header.store()).isEqualTo("/store/ä");
      assertThat(header.capture()).isEqualTo("/capture");
      assertThat(header.freeChunks()).isEqualTo(8);
      assertThat(header.process()).isEqualTo(ProcessIdentity.current());
      created.header().threshold(4096);
      assertThat(header.threshold()).isEqualTo(4096);
      assertThat(mapped.address()).isNotEqualTo(created.address());
    }
  }

  /** Their numbers may follow each other, or be spread. */
  @ParameterizedTest
  @ValueSource(longs = {1, 16, 0x1234_5678_9ABCL})
  void asManyFilesHaveEntriesAsItIsMadeFor(final long step) throws IOException {
    final int files = 20_000;
    try (Segment segment = TestSegments.create(file(), Geometry.of(files, 4096, 4096), SETTINGS)) {
      final ImageTable table = segment.imageTable();
      for (int image = 1; image <= files; image++) {
        assertThat(table.insert(7, image * step, image, ImageDescriptor.STATE_DIVERTED, 0))
            .isNotNegative();
      }
      assertThat(table.imageId(TestSegments.find(table, 7, step))).isEqualTo(1);
      assertThat(table.imageId(TestSegments.find(table, 7, files * step))).isEqualTo(files);
    }
  }

  @Test
  void fileIsPrivateAndAsLongAsTheGeometrySays() throws IOException {
    TestSegments.create(file(), SMALL, SETTINGS).close();

    assertThat(Files.size(file())).isEqualTo(SMALL.segmentLength());
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
        .isEqualTo("rw-------");
  }

  @Test
  void reservedChunkIsFreeOnlyOnceItHasMemory() throws IOException {
    try (Segment segment = Segment.reserve(file(), SMALL, SETTINGS);
        Segment mapped = Segment.map(file())) {
      assertThat(Claims.claim(mapped.chunkPool(), 1, 0)).isEqualTo(-1);
      final int before = Claims.releases(mapped.chunkPool());
      segment.provideNext();
      assertThat(Claims.releases(mapped.chunkPool()) - before).isEqualTo(1);
      assertThat(Claims.claim(mapped.chunkPool(), 1, 0)).isEqualTo(0);
      assertThat(Claims.claim(mapped.chunkPool(), 1, 0)).isEqualTo(-1);
    }
  }

  @Test
  void chunksWithoutMemoryDoNotCountAsFree() throws IOException {
    try (Segment segment = Segment.reserve(file(), SMALL, SETTINGS)) {
      segment.provideNext();
      segment.chunkPool().recount();
      segment.chunkPool().recount();
      assertThat(segment.header().freeChunks()).isEqualTo(1);
      assertThat(segment.header().absentChunks()).isEqualTo(7);
      assertThat(segment.header().unusedChunks()).isEqualTo(8);
    }
  }

  @Test
  void thresholdCountsWhatProcessesMayMakeAndNoGrantBeyondIt() throws IOException {
    try (Segment segment = Segment.reserve(file(), SMALL, SETTINGS)) {
      final Header header = segment.header();
      final long full = AutoThreshold.of(0, 8, SMALL.chunkLength());
      assertThat(header.effectiveThreshold()).isEqualTo(full);
      header.grantMemory(4);
      assertThat(header.effectiveThreshold()).isEqualTo(Long.MAX_VALUE);
      header.grantMemory(Integer.MAX_VALUE);
      header.addAbsentChunks(-8);
      assertThat(header.effectiveThreshold()).isEqualTo(full);
    }
  }

  @Test
  void memoryOfFreeChunksIsGivenBack() throws IOException {
    try (Segment segment = TestSegments.create(file(), SMALL, SETTINGS)) {
      Claims.claim(segment.chunkPool(), 1, 3);
      for (int chunk = 0; chunk < SMALL.chunkCount(); chunk++) {
        segment.chunk(chunk).putInt(100, 7);
      }
      final long before = allocated();
      assertThat(segment.giveMemoryBack(0)).isEqualTo(3);
      assertThat(segment.giveMemoryBack(3)).isEqualTo(8);
      assertThat(before - allocated()).isEqualTo(7 * (long) SMALL.chunkLength());
      assertThat(segment.chunk(3).getInt(100)).isEqualTo(7);
      assertThat(segment.chunk(4).getInt(100)).isZero();
      assertThat(segment.header().freeChunks()).isZero();
      assertThat(segment.header().absentChunks()).isEqualTo(7);
      assertThat(Claims.claim(segment.chunkPool(), 1, 0)).isEqualTo(-1);
      segment.provideNext();
      assertThat(Claims.claim(segment.chunkPool(), 1, 0)).isEqualTo(0);
    }
  }

  private long allocated() throws IOException {
    return FileStatus.of(file().toString()).allocated();
  }

  @Test
  void chunksBeginAtHugePagesAndFollowEachOther() throws IOException {
    try (Segment segment = TestSegments.create(file(), SMALL, SETTINGS)) {
      assertThat(SMALL.chunksOffset() % (2 << 20)).isZero();
      for (int i = 0; i < SMALL.chunkCount(); i++) {
        assertThat(segment.chunk(i).capacity()).isEqualTo(SMALL.chunkLength());
        assertThat(segment.chunk(i).addressOffset())
            .isEqualTo(segment.address() + SMALL.chunksOffset() + i * SMALL.chunkLength());
      }
    }
  }

  @Test
  void ringIsAdvancedToWhereItsRecordsWereTaken() throws IOException {
    try (Segment segment = TestSegments.create(file(), SMALL, SETTINGS)) {
      final UnsafeBuffer body = new UnsafeBuffer(new byte[RingDescriptor.BODY_LENGTH]);
      for (int i = 0; i < 3; i++) {
        body.putInt(0, i);
        TestSegments.ring(segment, 0)
            .write(RingDescriptor.TYPE_CHUNK, body, 0, RingDescriptor.BODY_LENGTH);
      }
      assertThat(segment.advanceRing(0, 2 * RingDescriptor.RECORD_LENGTH)).isTrue();

      final List<Integer> left = new ArrayList<>();
      TestSegments.ring(segment, 0).read((type, buffer, at, length) -> left.add(buffer.getInt(at)));
      assertThat(left).containsExactly(2);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MIN_VALUE, -32, -1, 7, 96, 1L << 40, Long.MAX_VALUE})
  void ringWhosePositionCannotBeIsLeftAlone(final long position) throws IOException {
    try (Segment segment = TestSegments.create(file(), SMALL, SETTINGS)) {
      final int head = RingDescriptor.CAPACITY + RingDescriptor.HEAD_POSITION_OFFSET;
      TestSegments.ring(segment, 1).buffer().putLong(head, position);
      assertThat(segment.advanceRing(1, 64)).isFalse();
      assertThat(TestSegments.ring(segment, 1).consumerPosition()).isEqualTo(position);
    }
  }

  @Test
  void existingFileIsLeftAlone() throws IOException {
    Files.writeString(file(), "mine");

    assertThatThrownBy(() -> TestSegments.create(file(), SMALL, SETTINGS))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThat(file()).hasContent("mine");
  }

  @Test
  void segmentThatDoesNotFitIsRefusedAndLeavesNoFile() {
    final Geometry huge = new Geometry(4, 64, 1 << 24, 1 << 30);

    assertRefused(() -> TestSegments.create(file(), huge, SETTINGS), "no room for a segment");
    assertThat(file()).doesNotExist();
  }

  @Test
  void foreignFileIsNotASegment() throws IOException {
    Files.writeString(file(), "#!/bin/sh\necho I am something else entirely\n");

    assertRefused(() -> Segment.map(file()), "not a segment");
  }

  @Test
  void fileThatIsNeverPublishedIsNotASegment() throws IOException {
    Files.write(file(), new byte[8192]);

    assertRefused(() -> Segment.map(file(), Duration.ofMillis(20)), "not a segment");
  }

  @Test
  void otherVersionIsRefusedAsSuch() throws IOException {
    TestSegments.create(file(), SMALL, SETTINGS).close();
    overwriteInt(HeaderDescriptor.VERSION_OFFSET, HeaderDescriptor.VERSION + 1);

    assertThatThrownBy(() -> Segment.map(file()))
        .isInstanceOf(FormatVersionException.TooNew.class)
        .hasMessageContaining("use the newer sluice");
  }

  @Test
  void truncatedFileIsRefused() throws IOException {
    TestSegments.create(file(), SMALL, SETTINGS).close();
    try (RandomAccessFile raw = new RandomAccessFile(file().toFile(), "rw")) {
      raw.setLength(SMALL.segmentLength() - 4096);
    }

    assertRefused(() -> Segment.map(file()), "segment truncated or damaged");
  }

  @Test
  void fileCutInsideTheHeaderIsRefused() throws IOException {
    TestSegments.create(file(), SMALL, SETTINGS).close();
    try (RandomAccessFile raw = new RandomAccessFile(file().toFile(), "rw")) {
      raw.setLength(100);
    }

    assertRefused(() -> Segment.map(file()), "segment truncated or damaged");
  }

  @Test
  void headerThatContradictsItselfIsRefused() throws IOException {
    TestSegments.create(file(), SMALL, SETTINGS).close();
    overwriteInt(HeaderDescriptor.CHUNK_COUNT_OFFSET, 4);

    assertRefused(() -> Segment.map(file()), "segment truncated or damaged");
  }

  @Test
  void mappingWaitsForTheVersion() throws Exception {
    TestSegments.create(file(), SMALL, SETTINGS).close();
    overwriteInt(HeaderDescriptor.VERSION_OFFSET, 0);
    final CompletableFuture<Segment> mapping =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return Segment.map(file(), Duration.ofMinutes(1));
              } catch (final IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            });
    assertThat(mapping).isNotDone();

    overwriteInt(HeaderDescriptor.VERSION_OFFSET, HeaderDescriptor.VERSION);

    mapping.get().close();
  }

  @Test
  void otherPlatformsAreRefusedByName() {
    assertThatThrownBy(() -> Platform.require("Linux", "riscv64", ByteOrder.LITTLE_ENDIAN))
        .hasMessageContaining("riscv64");
    assertThatThrownBy(() -> Platform.require("Linux", "aarch64", ByteOrder.BIG_ENDIAN))
        .hasMessageContaining("BIG_ENDIAN");
    assertThatThrownBy(() -> Platform.require("Mac OS X", "aarch64", ByteOrder.LITTLE_ENDIAN))
        .hasMessageContaining("Mac OS X");
  }

  private void overwriteInt(final int offset, final int value) throws IOException {
    try (RandomAccessFile raw = new RandomAccessFile(file().toFile(), "rw")) {
      raw.seek(offset);
      raw.writeInt(Integer.reverseBytes(value));
    }
  }

  private void assertRefused(
      final org.assertj.core.api.ThrowableAssert.ThrowingCallable action, final String why) {
    assertThatThrownBy(action)
        .isInstanceOf(SegmentException.class)
        .hasMessageContaining(file().toString())
        .hasMessageStartingWith(why);
  }
}
