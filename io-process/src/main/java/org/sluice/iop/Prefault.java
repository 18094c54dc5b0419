package org.sluice.iop;

import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.segment.Segment;

/**
 * Maps the pages of the chunks before the drain needs them: the first touch of each costs more than
 * its checksum.
 */
final class Prefault {
  private static final int PAGE = 4096;

  private Prefault() {}

  /** Starts a thread that ends when all pages are mapped, or the segment is. */
  static Thread start(final Segment segment) {
    return Thread.ofPlatform().daemon().name("prefault").start(() -> touch(segment));
  }

  private static void touch(final Segment segment) {
    for (int chunk = 0; chunk < segment.geometry().chunkCount(); chunk++) {
      final UnsafeBuffer memory = segment.chunk(chunk);
      for (int page = 0; page < memory.capacity(); page += PAGE) {
        memory.getByteVolatile(page);
      }
      if (Thread.interrupted()) {
        return;
      }
    }
  }
}
