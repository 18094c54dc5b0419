package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.node.Draft;
import org.sluice.core.store.node.PosixStore;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Timed;
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
   * Commits a checkpoint in this node's store. Last stage.
   *
   * @param began time since which the commit takes, by {@link System#nanoTime}
   * @param made receiver of the commit, before what it supersedes goes
   * @throws IOException when storage refuses, and nothing of it counts
   */
  void commit(final Draft draft, final long began, final Consumer<Commit> made) throws IOException {
    store.commit(
        draft,
        inStore -> {
          statistics.took(Timed.COMMIT, began);
          made.accept(inStore);
        });
  }

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
