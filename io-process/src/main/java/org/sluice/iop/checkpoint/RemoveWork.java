package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.util.function.Consumer;
import org.sluice.core.store.CheckpointStore;
import org.sluice.core.store.Commit;
import org.sluice.iop.crash.Subject;
import org.sluice.iop.drain.Work;
import org.sluice.iop.measure.Warnings;

/** Removes a checkpoint, behind everything that might still read it. */
final class RemoveWork implements Work {
  private final CheckpointStore store;
  private final Commit commit;
  private final CheckpointStore.Farewell farewell;
  private final Consumer<Boolean> done;

  /**
   * A checkpoint.
   *
   * @param farewell called by the last stage, when nobody reads the checkpoint nor can begin to
   * @param done told whether it is gone; called by the last stage
   */
  RemoveWork(
      final CheckpointStore store,
      final Commit commit,
      final CheckpointStore.Farewell farewell,
      final Consumer<Boolean> done) {
    this.store = store;
    this.commit = commit;
    this.farewell = farewell;
    this.done = done;
  }

  @Override
  public void commit() throws IOException {
    done.accept(store.remove(commit, farewell));
  }

  @Override
  public void fail(final IOException failure) {
    Warnings.warn(
        "checkpoint %d, which is not to be kept, stays: %s"
            .formatted(commit.number(), failure.getMessage()));
    done.accept(false);
  }

  @Override
  public Subject subject() {
    return Subject.REMOVAL;
  }

  @Override
  public long id() {
    return commit.number();
  }
}
