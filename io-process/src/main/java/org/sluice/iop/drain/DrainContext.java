package org.sluice.iop.drain;

import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.sluice.core.segment.Segment;
import org.sluice.iop.crash.InFlight;
import org.sluice.iop.image.Image;
import org.sluice.iop.journal.Cause;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.journal.Journal;
import org.sluice.iop.measure.Statistics;

/**
 * The parts that the works of the drain share.
 *
 * @param sink destination of drained chunks; write and last stage
 * @param containers containers of the session; none in the files layout
 * @param underWay chunks on their way through the pipeline, by index
 */
record DrainContext(
    Segment segment,
    Journal journal,
    Statistics statistics,
    ChunkSink sink,
    SessionContainers containers,
    ChunkReading reading,
    AtomicReferenceArray<DrainWork> underWay) {
  InFlight inFlight() {
    return journal.inFlight();
  }

  /**
   * Restarts the log of an image: its own file holds all bytes drained so far. Write stage only.
   */
  void restart(
      final Image image,
      final Cause cause,
      final boolean inPlace,
      final long size,
      final List<Entry.Mark> marks) {
    containers.forget(image);
    image.log().apply(journal.write(new Entry.Restarted(image.id(), cause, inPlace, size, marks)));
  }
}
