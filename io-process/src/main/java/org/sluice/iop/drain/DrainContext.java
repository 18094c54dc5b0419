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
 * What the works of the drain share.
 *
 * @param segment where the chunks are
 * @param journal learns what is drained
 * @param statistics counts
 * @param sink what becomes of drained chunks; write and last stage
 * @param containers those of the session; none in the files layout
 * @param reading the means of the first stage
 * @param underWay by index: the chunks on their way through the pipeline
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

  /** The image's own file holds what was drained so far. Write stage only. */
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
