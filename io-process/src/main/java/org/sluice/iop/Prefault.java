package org.sluice.iop;

import java.io.IOException;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.segment.Segment;
import org.sluice.iop.measure.Warnings;

/** Gives the chunks their memory while processes attach, or already use the first of them. */
final class Prefault {
  private Prefault() {}

  /** Starts a thread that ends when every chunk has its memory, or it is interrupted. */
  static Thread start(final Segment segment) {
    return Thread.ofPlatform().daemon().name("prefault").start(() -> provide(segment));
  }

  private static void provide(final Segment segment) {
    final int count = segment.geometry().chunkCount();
    for (int chunk = 0; chunk < count && !Thread.currentThread().isInterrupted(); chunk++) {
      Fault.strike(FaultPoint.PREFAULT);
      try {
        segment.provide(chunk);
      } catch (final IOException e) {
        Warnings.warn(
            "the buffer keeps only %d of its %d chunks: %s"
                .formatted(chunk, count, e.getMessage()));
        segment.withholdFrom(chunk);
        return;
      }
    }
  }
}
