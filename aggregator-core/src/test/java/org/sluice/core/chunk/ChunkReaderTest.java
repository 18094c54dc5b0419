package org.sluice.core.chunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChunkReaderTest {
  private static final long SESSION = 0x1234_5678_9abc_def0L;
  private static final int LENGTH = 4096;

  private final ChunkBuilder chunk = new ChunkBuilder(LENGTH, SESSION);
  private final ChunkReader reader = new ChunkReader();

  @Test
  void iteratesTheRecordsInOrder() throws IOException {
    chunk.write(1, 100, (byte) 1, (byte) 2, (byte) 3).direct(2, 1L << 40, 5000).truncate(1, 50);
    reader.wrap(chunk.buffer(), chunk.used(), SESSION);
    expect(RecordDescriptor.TYPE_WRITE, 1, 100, 3);
    assertThat(chunk.buffer().getByte(reader.payload() + 2)).isEqualTo((byte) 3);
    expect(RecordDescriptor.TYPE_DIRECT, 2, 1L << 40, 5000);
    expect(RecordDescriptor.TYPE_TRUNCATE, 1, 50, 0);
    assertThat(reader.next()).isFalse();
  }

  @Test
  void returnsToARecord() throws IOException {
    chunk.write(1, 0, (byte) 1).write(2, 0, (byte) 2);
    reader.wrap(chunk.buffer(), chunk.used(), SESSION);
    reader.next();
    final int first = reader.position();
    reader.next();
    reader.goTo(first);
    assertThat(reader.imageId()).isEqualTo(1);
  }

  @Test
  void acceptsAWriteThatEndsWithTheChunkAndAnEmptyChunk() throws IOException {
    reader.wrap(chunk.buffer(), chunk.used(), SESSION).validate();
    chunk.write(1, 0, new byte[LENGTH - 64 - 24]);
    reader.wrap(chunk.buffer(), LENGTH, SESSION).validate();
  }

  @Test
  void acceptsWhatReachesToTheEndOfTheLargestImage() throws IOException {
    final long end = RecordDescriptor.MAX_END;
    chunk.write(1, end - 1, (byte) 1).direct(1, 0, end).truncate(1, end);
    reader.wrap(chunk.buffer(), chunk.used(), SESSION).validate();
  }

  @ParameterizedTest
  @CsvSource({
    // type, image, offset, length
    "1, 1, 0, 4009",
    "1, 1, 0, 9223372036854775807",
    "1, 1, 0, -1",
    "1, 1, -1, 0",
    "1, 0, 0, 0",
    "1, -5, 0, 0",
    "2, 1, 0, -1",
    "1, 1, 9223372036854775806, 1",
    "1, 1, 1152921504606846976, 1",
    "2, 1, 9223372036854775807, 1",
    "2, 1, 1, 1152921504606846976",
    "3, 1, 0, 1",
    "3, 1, -1, 0",
    "3, 1, 1152921504606846977, 0",
    "0, 1, 0, 0",
    "4, 1, 0, 0",
  })
  void refusesAnImpossibleRecord(
      final int type, final int imageId, final long offset, final long length) throws IOException {
    chunk.raw(type, imageId, offset, length);
    reader.wrap(chunk.buffer(), chunk.used(), SESSION);
    assertThatThrownBy(reader::validate)
        .isInstanceOfSatisfying(DamagedException.class, e -> assertThat(e.offset()).isEqualTo(64));
  }

  @ParameterizedTest
  @CsvSource({"0", "63", "4097", "-1", "65", "87"})
  void refusesAnImpossibleUsedLength(final int used) {
    chunk.write(1, 0, (byte) 1);
    chunk.buffer().putInt(ChunkDescriptor.USED_OFFSET, used);
    assertThatThrownBy(() -> reader.wrap(chunk.buffer(), used, SESSION).validate())
        .isInstanceOf(DamagedException.class);
  }

  @Test
  void refusesAUsedLengthOtherThanTheHeaders() {
    chunk.write(1, 0, (byte) 1);
    assertThatThrownBy(() -> reader.wrap(chunk.buffer(), chunk.used() + 8, SESSION))
        .isInstanceOf(DamagedException.class);
  }

  @Test
  void tellsForeignMemoryAnotherSessionAndAnotherVersionApart() {
    assertThatThrownBy(() -> reader.wrap(chunk.buffer(), 64, SESSION + 1))
        .isInstanceOf(DamagedException.class)
        .hasMessageContaining("session");
    chunk.buffer().putInt(ChunkDescriptor.VERSION_OFFSET, 2);
    assertThatThrownBy(() -> reader.wrap(chunk.buffer(), 64, SESSION))
        .isInstanceOf(FormatVersionException.TooNew.class)
        .hasMessageContaining("newer");
    chunk.buffer().putInt(ChunkDescriptor.VERSION_OFFSET, 0);
    assertThatThrownBy(() -> reader.wrap(chunk.buffer(), 64, SESSION))
        .isInstanceOf(FormatVersionException.TooOld.class)
        .hasMessageContaining("older");
    chunk.buffer().putInt(ChunkDescriptor.MAGIC_OFFSET, 0);
    assertThatThrownBy(() -> reader.wrap(chunk.buffer(), 64, SESSION))
        .isInstanceOf(DamagedException.class)
        .hasMessageContaining("no chunk");
  }

  @Test
  void cutsTheLastRecordOfAnOpenChunk() throws IOException {
    chunk.write(1, 0, new byte[10]);
    chunk.buffer().putLong(64 + RecordDescriptor.LENGTH_OFFSET, 500);
    reader.wrapOpen(chunk.buffer(), SESSION);
    expect(RecordDescriptor.TYPE_WRITE, 1, 0, 10);
    assertThat(reader.next()).isFalse();
    assertThatThrownBy(() -> reader.wrap(chunk.buffer(), chunk.used(), SESSION).validate())
        .isInstanceOf(DamagedException.class);
  }

  @Test
  void sealsAnOpenChunkSoThatItReadsAsAPublishedOne() throws IOException {
    chunk.write(1, 0, new byte[10]).write(1, 50, new byte[10]);
    chunk.buffer().putLong(104 + RecordDescriptor.LENGTH_OFFSET, 500);
    reader.wrapOpen(chunk.buffer(), SESSION).seal(chunk.buffer());
    reader.wrap(chunk.buffer(), chunk.used(), SESSION).validate();
    expect(RecordDescriptor.TYPE_WRITE, 1, 0, 10);
    expect(RecordDescriptor.TYPE_WRITE, 1, 50, 10);
  }

  @Test
  void findsNothingInAnOpenChunkWithoutAHeader() throws IOException {
    final UnsafeBuffer claimed = new ChunkBuilder(LENGTH, SESSION).buffer();
    claimed.setMemory(0, LENGTH, (byte) 0);
    assertThat(reader.wrapOpen(claimed, SESSION).next()).isFalse();
  }

  /** Whatever a hostile process writes, what comes out stays within the chunk. */
  @Property(tries = 2000)
  void survivesAnyBytes(@ForAll final long seed, @ForAll @IntRange(max = 6) final int flips)
      throws IOException {
    final Random random = new Random(seed);
    final ChunkBuilder hostile = new ChunkBuilder(LENGTH, SESSION);
    while (hostile.fits(100)) {
      hostile.write(1 + random.nextInt(3), random.nextInt(1000), new byte[random.nextInt(100)]);
    }
    final UnsafeBuffer bytes = hostile.buffer();
    for (int i = 0; i < flips; i++) {
      bytes.putByte(random.nextInt(LENGTH), (byte) random.nextInt());
    }
    try {
      final ChunkReader any = new ChunkReader().wrapOpen(bytes, SESSION);
      while (any.next()) {
        final long payload = any.type() == RecordDescriptor.TYPE_WRITE ? any.length() : 0;
        assertThat(any.payload() + payload).isBetween(0L, (long) any.used());
        assertThat(any.used()).isLessThanOrEqualTo(LENGTH);
        assertThat(any.offset() + any.length()).isBetween(0L, RecordDescriptor.MAX_END);
      }
    } catch (final DamagedException | FormatVersionException e) {
      assertThat(e).hasMessageContaining("chunk");
    }
  }

  private void expect(final int type, final int imageId, final long offset, final long length)
      throws IOException {
    assertThat(reader.next()).isTrue();
    assertThat(reader.type()).isEqualTo(type);
    assertThat(reader.imageId()).isEqualTo(imageId);
    assertThat(reader.offset()).isEqualTo(offset);
    assertThat(reader.length()).isEqualTo(length);
  }
}
