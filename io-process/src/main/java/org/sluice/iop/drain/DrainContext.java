package org.sluice.iop.drain;

import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.sluice.core.chunk.ChunkReader;
import org.sluice.core.segment.Layout;
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
 * @param sessionId read once: what is in the segment may be anything by now
 * @param journal learns what is drained
 * @param statistics counts
 * @param layout where they land
 * @param sink what becomes of them; write and last stage
 * @param containers those of the session; none in the files layout
 * @param grants who may append to what; first stage only
 * @param reader of records; first stage only
 * @param tables of records on their way to the write stage
 * @param underWay by index: the chunks on their way through the pipeline
 */
record DrainContext(
    Segment segment,
    long sessionId,
    Journal journal,
    Statistics statistics,
    Layout layout,
    ChunkSink sink,
    SessionContainers containers,
    AppendRights grants,
    ChunkReader reader,
    ExtentTable.Pool tables,
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
