package org.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.sluice.core.chunk.RecordDescriptor;
import org.sluice.core.libc.Errno;
import org.sluice.core.request.Request;
import org.sluice.core.request.StandInIoProcess;
import org.sluice.core.segment.Claims;
import org.sluice.core.segment.HeaderDescriptor;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Layout;
import org.sluice.core.segment.Reason;
import org.sluice.core.segment.Slot;
import org.sluice.core.segment.SlotDescriptor;

class ImageChannelTest {
  private static final Layout CONTAINER = Layout.CONTAINER;
  private static final Layout FILES = Layout.FILES;
  private static final int DIRECT = HeaderDescriptor.WHEN_FULL_DIRECT;
  private static final int THRESHOLD = 1000;

  @TempDir Path directory;

  @Test
  void aBufferThatIsReadOnlyIsNotReadInto() throws IOException, InterruptedException {
    try (StandInIoProcess ioProcess = new StandInIoProcess(directory, FILES, THRESHOLD, DIRECT, 3);
        CheckpointClient client = CheckpointClient.connect(directory, 0, 1)) {
      final ImageChannel image = client.begin(1).image("a");
      image.write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
      image.position(0);
      for (final ByteBuffer buffer :
          List.of(ByteBuffer.allocate(3), ByteBuffer.allocateDirect(3))) {
        assertThatThrownBy(() -> image.read(buffer.asReadOnlyBuffer()))
            .isInstanceOf(IllegalArgumentException.class);
        assertThat(buffer.get(0)).isZero();
      }
      assertThat(ioProcess.requests).isNotEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "CONTAINER, 1, 1", "CONTAINER, 1, 2", "CONTAINER, 1, 3", "FILES, 1, 1", "FILES, 1, 2",
        "FILES, 1, 3",
    "CONTAINER, 2, 1", "CONTAINER, 2, 2", "CONTAINER, 2, 3", "FILES, 2, 1", "FILES, 2, 2",
        "FILES, 2, 3"
  })
  void anyMixOfCallsGivesTheBytesAPlainFileWouldHold(
      final Layout layout, final int whenFull, final long seed)
      throws IOException, InterruptedException {
    final Random random = new Random(seed);
    final byte[] model = new byte[40_000];
    int size = 0;
    try (StandInIoProcess ioProcess =
        new StandInIoProcess(directory, layout, THRESHOLD, whenFull, 3)) {
      try (CheckpointClient client = CheckpointClient.connect(directory, 0, 1)) {
        final ImageChannel image = client.begin(1).image("a");
        for (int i = 0; i < 400; i++) {
          final int call = random.nextInt(20);
          if (call == 0) {
            final int cut = random.nextInt(size + 1);
            image.truncate(cut);
            Arrays.fill(model, cut, size, (byte) 0);
            size = cut;
          } else if (call == 1) {
            assertReads(image, model, random.nextInt(size + 1), size);
          } else if (call == 2) {
            image.sync();
          } else {
            final byte[] data = new byte[1 + random.nextInt(call < 5 ? 4000 : 900)];
            random.nextBytes(data);
            final int at = random.nextBoolean() ? size : random.nextInt(size + 100);
            final int offset = Math.min(at, model.length - data.length);
            image.position(offset).write(ByteBuffer.wrap(data));
            System.arraycopy(data, 0, model, offset, data.length);
            size = Math.max(size, offset + data.length);
          }
          assertThat(image.size()).isEqualTo(size);
        }
      }
      ioProcess.awaitEnd();
      assertThat(ioProcess.content("a", 1)).isEqualTo(Arrays.copyOf(model, size));
    }
  }

  private static void assertReads(
      final ImageChannel image, final byte[] model, final int offset, final int size)
      throws IOException {
    final ByteBuffer read = ByteBuffer.allocate(500);
    final int count = image.position(offset).read(read);
    assertThat(count).isEqualTo(offset == size ? -1 : Math.min(500, size - offset));
    assertThat(Arrays.copyOf(read.array(), read.position()))
        .isEqualTo(Arrays.copyOfRange(model, offset, offset + read.position()));
  }

  @Test
  void bytesMayLieInAnyBuffer() throws IOException {
    final byte[] bytes = {0, 1, 2, 3, 4, 5, 6, 7};
    try (StandInIoProcess ioProcess = new StandInIoProcess(directory, CONTAINER, THRESHOLD, 8);
        CheckpointClient client = CheckpointClient.connect(directory, 0, 1)) {
      final ImageChannel image = client.begin(1).image("a");
      final ByteBuffer direct = ByteBuffer.allocateDirect(8).put(bytes);
      for (final ByteBuffer source :
          List.of(
              ByteBuffer.wrap(bytes, 2, 5),
              ByteBuffer.wrap(bytes).asReadOnlyBuffer().position(2).limit(7),
              direct.position(2).limit(7).slice(),
              direct.asReadOnlyBuffer())) {
        for (int i = 0; i < 2; i++) { // the first opens a chunk, or is tried already
          assertThat(image.write(source.duplicate())).isEqualTo(5);
        }
        assertThat(image.write(source)).isEqualTo(5);
        assertThat(source.hasRemaining()).isFalse();
      }
      for (final ByteBuffer target :
          List.of(ByteBuffer.allocate(60), ByteBuffer.allocateDirect(70).position(3))) {
        final int begin = target.position();
        assertThat(image.position(0).read(target)).isEqualTo(60);
        assertThat(image.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        for (int i = 0; i < 60; i++) {
          assertThat(target.get(begin + i)).isEqualTo((byte) (2 + i % 5));
        }
      }
      assertThat(image.read(ByteBuffer.allocate(0))).isZero();
      assertThat(ioProcess.requests).filteredOn(Request.Settle.class::isInstance).hasSize(1);
    }
  }

  @Test
  void smallWritesAreLoggedAndLargeOnesGoToTheFile() throws IOException {
    try (StandInIoProcess ioProcess = new StandInIoProcess(directory, CONTAINER, THRESHOLD, 8);
        CheckpointClient client = CheckpointClient.connect(directory, 0, 1)) {
      final ImageChannel image = client.begin(1).image("a");
      image.write(ByteBuffer.allocate(THRESHOLD - 1));
      image.write(ByteBuffer.allocate(THRESHOLD));

      final Slot slot = ioProcess.segment.slot(0);
      final int sizeClass = SlotDescriptor.sizeClass(THRESHOLD);
      assertThat(slot.counter(SlotDescriptor.AGGREGATED_BYTES_OFFSET, sizeClass)).isEqualTo(999);
      assertThat(slot.counter(SlotDescriptor.DIRECT_BYTES_OFFSET, sizeClass)).isEqualTo(1000);
      assertThat(directory.resolve("a").toFile()).hasSize(1999);
      assertThat(ioProcess.last(Request.Settle.class)).isEmpty();
    }
  }

  @Test
  void nothingReachesBeyondWhatAnImageCanHave() throws IOException {
    final long end = RecordDescriptor.MAX_END;
    try (StandInIoProcess ioProcess = new StandInIoProcess(directory, CONTAINER, THRESHOLD, 8);
        CheckpointClient client = CheckpointClient.connect(directory, 0, 1)) {
      final ImageChannel image = client.begin(1).image("a");
      image.position(end - 10).write(ByteBuffer.allocate(10));
      for (final long position : new long[] {end - 9, end, Long.MAX_VALUE - 5}) {
        assertThatThrownBy(() -> image.position(position).write(ByteBuffer.allocate(10)))
            .isInstanceOfSatisfying(
                CheckpointException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EFBIG));
      }
      assertThat(image.size()).isEqualTo(end);
      assertThat(ioProcess.last(Request.Settle.class)).isEmpty();
    }
  }

  @Test
  void largeWriteOverLoggedBytesSettlesFirstInTheFilesLayout() throws IOException {
    try (StandInIoProcess ioProcess = new StandInIoProcess(directory, FILES, THRESHOLD, 8);
        CheckpointClient client = CheckpointClient.connect(directory, 0, 1)) {
      final ImageChannel image = client.begin(1).image("a");
      image.write(ByteBuffer.allocate(10));
      image.write(ByteBuffer.allocate(THRESHOLD));
      assertThat(ioProcess.last(Request.Settle.class)).isEmpty();

      image.position(9).write(ByteBuffer.allocate(THRESHOLD));
      assertThat(ioProcess.last(Request.Settle.class)).contains(new Request.Settle(1, 0));
    }
  }

  @ParameterizedTest
  @EnumSource(Layout.class)
  void imageMadeDirectIsSettledOnceAndWrittenInPlace(final Layout layout) throws IOException {
    try (StandInIoProcess ioProcess = new StandInIoProcess(directory, layout, THRESHOLD, 8);
        CheckpointClient client = CheckpointClient.connect(directory, 0, 1)) {
      final ImageChannel image = client.begin(1).image("a");
      image.write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
      ioProcess.segment.imageTable().state(ioProcess.entry(1), ImageDescriptor.STATE_DIRECT);
      image.position(1).write(ByteBuffer.wrap(new byte[] {9}));
      image.position(3).write(ByteBuffer.wrap(new byte[] {4}));

      assertThat(directory.resolve("a")).hasBinaryContent(new byte[] {1, 9, 3, 4});
      assertThat(image.size()).isEqualTo(4);
      assertThat(ioProcess.requests).filteredOn(Request.Settle.class::isInstance).hasSize(1);
    }
  }

  @ParameterizedTest
  @EnumSource(Layout.class)
  void imageGoesDirectWhenEveryChunkIsHeldByOthers(final Layout layout) throws IOException {
    try (StandInIoProcess ioProcess = new StandInIoProcess(directory, layout, 1 << 20, 2);
        CheckpointClient client = CheckpointClient.connect(directory, 0, 1)) {
      Claims.claim(ioProcess.segment.chunkPool(), 1, 0);
      final ImageChannel image = client.begin(1).image("a");
      image.write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
      image.write(ByteBuffer.allocate(3000));
      image.sync(); // which gives its chunk back
      assertThat(Claims.claim(ioProcess.segment.chunkPool(), 1, 0)).isNotNegative();
      final byte[] large = new byte[9000];
      Arrays.fill(large, (byte) 5);
      image.position(1).write(ByteBuffer.wrap(large));

      assertThat(ioProcess.last(Request.Settle.class))
          .contains(new Request.Settle(1, Reason.FULL.ordinal()));
      assertThat(ioProcess.segment.slot(0).counter(SlotDescriptor.FALLBACKS_OFFSET, 0))
          .isEqualTo(1);
      assertThat(directory.resolve("a").toFile()).hasSize(9001);
      final ByteBuffer read = ByteBuffer.allocate(2);
      image.position(0).read(read);
      assertThat(read.array()).containsExactly(1, 5);
    }
  }

  @ParameterizedTest
  @EnumSource(Layout.class)
  void writeGoesDirectAtOnceWhenTheBufferIsFullAndThePolicySaysSo(final Layout layout)
      throws IOException, InterruptedException {
    try (StandInIoProcess ioProcess = new StandInIoProcess(directory, layout, 1 << 20, DIRECT, 2)) {
      try (CheckpointClient client = CheckpointClient.connect(directory, 0, 1)) {
        Claims.claim(ioProcess.segment.chunkPool(), 1, 0);
        final ImageChannel image = client.begin(1).image("a");
        image.write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
        ioProcess.script =
            request -> {
              Claims.claim(ioProcess.segment.chunkPool(), 1, 0);
              return null;
            };
        image.write(ByteBuffer.wrap(filled(9000, 4)));
        image.write(ByteBuffer.wrap(filled(10, 5)));

        final Slot slot = ioProcess.segment.slot(0);
        assertThat(slot.counter(SlotDescriptor.WAITS_OFFSET, 0)).isZero();
        assertThat(slot.counter(SlotDescriptor.FALLBACKS_OFFSET, 0)).isZero();
        assertThat(slot.counter(SlotDescriptor.OVERFLOWS_OFFSET, 0)).isGreaterThanOrEqualTo(1);
        assertThat(ioProcess.last(Request.Settle.class)).isEmpty();
      }
      ioProcess.awaitEnd();
      final byte[] expected = new byte[9013];
      System.arraycopy(new byte[] {1, 2, 3}, 0, expected, 0, 3);
      Arrays.fill(expected, 3, 9003, (byte) 4);
      Arrays.fill(expected, 9003, 9013, (byte) 5);
      assertThat(ioProcess.content("a", 1)).isEqualTo(expected);
    }
  }

  private static byte[] filled(final int length, final int value) {
    final byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  @Test
  void storageErrorOfTheDrainIsThrownByTheNextCallAndByClose() throws IOException {
    try (StandInIoProcess ioProcess = new StandInIoProcess(directory, CONTAINER, THRESHOLD, 8);
        CheckpointClient client = CheckpointClient.connect(directory, 0, 1)) {
      final ImageChannel image = client.begin(1).image("state.bin");
      image.write(ByteBuffer.allocate(3));
      ioProcess.segment.imageTable().error(ioProcess.entry(1), Errno.ENOSPC);

      assertThatThrownBy(() -> image.write(ByteBuffer.allocate(3)))
          .hasMessageContaining("state.bin")
          .hasMessageContaining("ENOSPC");
      assertThatThrownBy(image::sync).hasMessageContaining("ENOSPC");
      assertThatThrownBy(image::close).hasMessageContaining("ENOSPC");
      assertThat(image.isOpen()).isFalse();
      image.close();
    }
  }
}
