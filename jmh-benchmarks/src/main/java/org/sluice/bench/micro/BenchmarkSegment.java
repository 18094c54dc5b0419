package org.sluice.bench.micro;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.sluice.core.segment.Geometry;
import org.sluice.core.segment.HeaderDescriptor;
import org.sluice.core.segment.Segment;
import org.sluice.core.segment.SegmentSettings;

/** Segments in shared memory for benchmarks, without a name, so that none is left behind. */
public final class BenchmarkSegment {
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");
  private static final int IMAGES = 64;

  private BenchmarkSegment() {}

  /**
   * Creates a segment.
   *
   * @param slots its slots
   * @param chunks its chunks
   * @param chunkLength bytes of a chunk
   * @return the segment, for the caller to close
   * @throws IOException when shared memory has no room for it
   */
  public static Segment create(final int slots, final int chunks, final int chunkLength)
      throws IOException {
    final Path directory = Files.createTempDirectory(SHARED_MEMORY, "sluice-jmh");
    final Path file = directory.resolve("segment");
    try {
      return Segment.create(
          file,
          new Geometry(slots, IMAGES, chunks, chunkLength),
          new SegmentSettings(
              1,
              HeaderDescriptor.LAYOUT_CONTAINER,
              0,
              HeaderDescriptor.POLICY_FIXED,
              HeaderDescriptor.WHEN_FULL_WAIT,
              "",
              ""));
    } finally {
      Files.deleteIfExists(file);
      Files.delete(directory);
    }
  }
}
