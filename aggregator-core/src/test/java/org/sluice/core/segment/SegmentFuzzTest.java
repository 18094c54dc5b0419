package org.sluice.core.segment;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.agrona.IoUtil;
import org.sluice.core.fuzz.Mutation;
import org.sluice.core.fuzz.Outcome;

/** A segment whose header may hold anything, and whose file may end anywhere. */
class SegmentFuzzTest {
  private static final Geometry SMALL = new Geometry(2, 16, 2, 4096);
  private static Path directory;
  private static byte[] header;

  @BeforeContainer
  static void create() throws IOException {
    directory = Files.createTempDirectory(Path.of("/dev/shm"), "sluice-fuzz");
    final SegmentSettings settings =
        new SegmentSettings(
            77,
            Layout.FILES,
            new WriteRules(4096, HeaderDescriptor.POLICY_FIXED, HeaderDescriptor.WHEN_FULL_WAIT, 0),
            "/store",
            "/capture");
    TestSegments.create(file(), SMALL, settings).close();
    header = Arrays.copyOf(Files.readAllBytes(file()), HeaderDescriptor.LENGTH);
  }

  @AfterContainer
  static void remove() {
    IoUtil.delete(directory.toFile(), false);
  }

  private static Path file() {
    return directory.resolve("segment");
  }

  @Provide
  Arbitrary<List<Mutation>> mutations() {
    return Mutation.several();
  }

  @Property
  void segmentIsMappedOrRefused(@ForAll("mutations") final List<Mutation> mutations)
      throws IOException {
    final byte[] bytes = Mutation.apply(header, mutations);
    try (RandomAccessFile raw = new RandomAccessFile(file().toFile(), "rw")) {
      raw.setLength(bytes.length);
      raw.setLength(bytes.length < header.length ? bytes.length : SMALL.segmentLength());
      raw.write(bytes);
    }
    Outcome.isReadOrRefused(file().toString(), SegmentFuzzTest::readAll);
  }

  /** Whatever was mapped can be read from its first byte to its last. */
  private static void readAll() throws IOException {
    try (Segment segment = Segment.map(file(), Duration.ZERO)) {
      final Geometry geometry = segment.geometry();
      for (int slot = 0; slot < geometry.slots(); slot++) {
        segment.slot(slot).process();
        TestSegments.ring(segment, slot).read((type, buffer, at, length) -> {}, 10);
        segment.advanceRing(slot, 64);
      }
      TestSegments.find(segment.imageTable(), 1, 2);
      for (int chunk = 0; chunk < geometry.chunkCount(); chunk++) {
        segment.chunkPool().word(chunk);
        segment.chunk(chunk).getByte(geometry.chunkLength() - 1);
      }
      segment.header().store();
      segment.header().capture();
      segment.header().effectiveThreshold();
    }
  }
}
