package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.util.stream.LongStream;
import org.sluice.core.store.node.PosixStore;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.publish.Publisher;

/**
 * The storage of a session's checkpoints: this node's store, and the place where they count.
 *
 * @param store this node's store; stays the caller's
 * @param publisher place where commits count; stays the caller's
 * @param sessionId the session, read once: the segment may have anything later on
 * @param predecessors checkpoints of earlier sessions there, which this one must not replace
 * @param statistics times of commits
 */
public record CheckpointStorage(
    PosixStore store,
    Publisher publisher,
    long sessionId,
    Predecessors predecessors,
    Statistics statistics) {
  /**
   * Returns the highest number of a checkpoint that is there; all nodes of a run find the same.
   *
   * @return 0 for none
   * @throws IOException when the store cannot be read
   */
  public long lastNumber() throws IOException {
    final LongStream here = store.numbers().stream().mapToLong(Long::longValue);
    return LongStream.concat(here, publisher.numbersBefore()).max().orElse(0);
  }
}
