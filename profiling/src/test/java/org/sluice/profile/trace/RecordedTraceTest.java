package org.sluice.profile.trace;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.profile.workload.Workload;

/** The format of recorded traces. */
class RecordedTraceTest {
  private static final TracedProcess ORIGIN = new TracedProcess("node7", 4242, 3);
  private static final long REALTIME = 1_700_000_000_000_000_000L;
  private static final long MONOTONIC = 5_000_000_000L;
  private static final long TRACE_ID = 0x1122334455667788L;

  /** What golden/README.md describes. */
  private static final List<Write> GOLDEN =
      List.of(
          write("/ckpt/a", Call.WRITE, Route.LOGGED, 1_000, 30, 0, 20),
          write("/ckpt/a", Call.WRITE, Route.LOGGED, 1_040, 30, 20, 20),
          write("/ckpt/a", Call.WRITE, Route.LOGGED, 1_100, 2_000, 40, 4096),
          write("/ckpt/b", Call.PWRITE, Route.DIRECT, 10_000_000, 350_000, 1L << 33, 1 << 20),
          write("/ckpt/a", Call.WRITE, Route.LOGGED, 10_349_990, 25, 4136, 64),
          write("/ckpt/b", Call.STDIO, Route.PLAIN, 10_400_000, 0, 5, 0));

  @TempDir private Path directory;

  private static Write write(
      final String file,
      final Call call,
      final Route route,
      final long time,
      final long duration,
      final long offset,
      final long size) {
    return new Write(
        ORIGIN, file, call, route, new CallTime(REALTIME + time, duration), offset, size);
  }

  @Test
  void writesTheGoldenVector() throws IOException {
    final Path part = record(GOLDEN);
    Files.createDirectories(Path.of("target/golden"));
    Files.copy(part, Path.of("target/golden/trace.bin"), REPLACE_EXISTING);
    assertThat(Files.readAllBytes(part)).isEqualTo(golden());
  }

  @Test
  void readsTheGoldenVector() throws IOException {
    final Path part = directory.resolve("golden.part");
    Files.write(part, golden());
    assertThat(RecordedTrace.isOne(part)).isTrue();
    final List<Write> writes = new ArrayList<>();
    final Omissions omissions = RecordedTrace.of(part).read(writes::add);
    assertThat(writes).isEqualTo(GOLDEN);
    assertThat(omissions.skipped()).isZero();
    assertThat(omissions.notes()).isEmpty();
  }

  @Test
  void takesAtMostTwelveBytesForAWriteOfThePublishedPatterns() throws IOException {
    for (final Workload workload : Workload.values()) {
      final List<Write> writes = new ArrayList<>();
      workload.checkpoint(1).read(writes::add);
      final Path part = directory.resolve(workload + PartDescriptor.SUFFIX);
      try (PartWriter out = new PartWriter(part, TRACE_ID, ORIGIN, 8, REALTIME, MONOTONIC)) {
        writes.forEach(out::append);
      }
      final double perWrite = (Files.size(part) - PartDescriptor.LENGTH) / (double) writes.size();
      assertThat(perWrite).as(workload + " bytes per write").isLessThan(12);
      assertThat(writes.size()).isGreaterThan(800);
    }
  }

  @Test
  void keepsMoreWritesThanOneMappingHolds() throws IOException {
    final List<Write> writes = new ArrayList<>();
    for (int i = 0; i < 300_000; i++) {
      final long time = REALTIME + i * 1_000_000L;
      writes.add(
          new Write(
              ORIGIN,
              "/f" + i % 3,
              Call.PWRITE,
              Route.PLAIN,
              new CallTime(time, 999),
              i * 7919L % 65_537,
              i));
    }
    final Path part = record(writes);
    assertThat(Files.size(part)).isGreaterThan(3 << 20);
    final List<Write> read = new ArrayList<>();
    RecordedTrace.of(part).read(read::add);
    assertThat(read).isEqualTo(writes);
  }

  @Test
  void readsWhatAKilledProcessLeft() throws IOException {
    final Path part = record(GOLDEN);
    final long length = Files.size(part);
    try (RandomAccessFile file = new RandomAccessFile(part.toFile(), "rw")) {
      file.seek(PartDescriptor.END_OFFSET);
      file.writeLong(0);
      file.setLength(1 << 20);
    }
    final List<Write> writes = new ArrayList<>();
    final Omissions omissions = RecordedTrace.of(part).read(writes::add);
    assertThat(writes).isEqualTo(GOLDEN);
    assertThat(omissions.skipped()).isZero();
    assertThat(omissions.notes()).hasSize(1).first().asString().contains("rank 3", "killed");
    unpublishLastRecord(part, length);
    writes.clear();
    assertThat(RecordedTrace.of(part).read(writes::add).skipped()).isOne();
    assertThat(writes).isEqualTo(GOLDEN.subList(0, GOLDEN.size() - 1));
  }

  /** The last record of the golden vector is the write of file 1 with 8 bytes. */
  private static void unpublishLastRecord(final Path part, final long length) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(part.toFile(), "rw")) {
      long begin = length - 1;
      do {
        file.seek(--begin);
      } while (file.read() != PartDescriptor.WRITE);
      file.seek(begin);
      file.write(0);
    }
  }

  @Test
  void readsAPartThatIsCutAnywhere() throws IOException {
    final byte[] whole = golden();
    for (int length = PartDescriptor.LENGTH; length < whole.length; length++) {
      final Path part = directory.resolve("cut.part");
      Files.write(part, Arrays.copyOf(whole, length));
      final List<Write> writes = new ArrayList<>();
      final Omissions omissions = RecordedTrace.of(part).read(writes::add);
      assertThat(writes).isEqualTo(GOLDEN.subList(0, writes.size())).hasSizeLessThan(6);
      assertThat(omissions.skipped()).isLessThanOrEqualTo(1);
    }
  }

  @Test
  void survivesEveryFlippedBit() throws IOException {
    final byte[] whole = golden();
    int noticed = 0;
    for (int bit = PartDescriptor.LENGTH * 8; bit < whole.length * 8; bit++) {
      final byte[] damaged = whole.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      final Path part = directory.resolve("flipped.part");
      Files.write(part, damaged);
      noticed += RecordedTrace.of(part).read(w -> {}).skipped() > 0 ? 1 : 0;
    }
    assertThat(noticed).isPositive();
  }

  @Test
  void readsTheOtherPartsBesideOneThatWasNeverBegun() throws IOException {
    record(GOLDEN);
    final byte[] header = new byte[PartDescriptor.LENGTH];
    ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).putLong(0, PartDescriptor.MAGIC);
    Files.write(directory.resolve("node7.1.part"), header);
    Files.createFile(directory.resolve("node7.2.part"));
    final List<Write> writes = new ArrayList<>();
    final Omissions omissions = RecordedTrace.of(directory).read(writes::add);
    assertThat(writes).isEqualTo(GOLDEN);
    assertThat(omissions.notes()).hasSize(2);
    assertThat(omissions.notes().getFirst()).contains("node7.1.part");
    assertThat(omissions.notes().getLast()).contains("node7.2.part");
  }

  @Test
  void tellsForeignNewAndDamagedPartsApart() throws IOException {
    final Path part = record(GOLDEN);
    try (RandomAccessFile file = new RandomAccessFile(part.toFile(), "rw")) {
      file.seek(PartDescriptor.VERSION_OFFSET);
      file.write(2);
    }
    assertThatThrownBy(() -> RecordedTrace.of(part).read(w -> {}))
        .isInstanceOf(FormatVersionException.class)
        .hasMessageContaining("version 2");
    Files.write(part, new byte[PartDescriptor.LENGTH]);
    assertThat(RecordedTrace.isOne(part)).isFalse();
    assertThatThrownBy(() -> RecordedTrace.of(part).read(w -> {}))
        .isInstanceOf(DamagedException.class);
  }

  private Path record(final List<Write> writes) throws IOException {
    final Path part = directory.resolve(RecordedTrace.partName(ORIGIN));
    try (PartWriter out = new PartWriter(part, TRACE_ID, ORIGIN, 8, REALTIME, MONOTONIC)) {
      writes.forEach(out::append);
    }
    return part;
  }

  private static byte[] golden() throws IOException {
    try (InputStream in = RecordedTraceTest.class.getResourceAsStream("/golden/trace.bin")) {
      return in.readAllBytes();
    }
  }
}
