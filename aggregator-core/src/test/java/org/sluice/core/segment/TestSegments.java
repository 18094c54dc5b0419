package org.sluice.core.segment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;

/** Segments with all of their memory, and their rings as both sides see them. */
public final class TestSegments {
  private TestSegments() {}

  public static Segment create(
      final Path file, final Geometry geometry, final SegmentSettings settings) throws IOException {
    final Segment segment = Segment.reserve(file, geometry, settings);
    try {
      for (int chunk = 0; chunk < geometry.chunkCount(); chunk++) {
        segment.provide(chunk);
      }
      return segment;
    } catch (final IOException e) {
      segment.close();
      Files.delete(file);
      throw e;
    }
  }

  public static OneToOneRingBuffer ring(final Segment segment, final int slot) {
    final long offset = segment.geometry().ringsOffset() + (long) slot * RingDescriptor.LENGTH;
    return new OneToOneRingBuffer(
        new UnsafeBuffer(segment.address() + offset, RingDescriptor.LENGTH));
  }
}
