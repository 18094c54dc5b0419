package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.sluice.core.store.CheckpointStore;
import org.sluice.core.store.Commit;
import org.sluice.iop.drain.Work;
import org.sluice.iop.image.Image;
import org.sluice.iop.measure.Warnings;

/** Removes a checkpoint, behind everything that might still read it. */
final class RemoveWork implements Work {
  private final CheckpointStore store;
  private final Commit commit;
  private final List<Image> images;
  private final Consumer<Boolean> done;

  /**
   * A checkpoint.
   *
   * @param images those whose bytes it alone holds; they have no names any more
   * @param done told whether it is gone; called by the last stage
   */
  RemoveWork(
      final CheckpointStore store,
      final Commit commit,
      final List<Image> images,
      final Consumer<Boolean> done) {
    this.store = store;
    this.commit = commit;
    this.images = images;
    this.done = done;
  }

  @Override
  public void write() {
    images.forEach(image -> image.log().settled());
  }

  @Override
  public void commit() throws IOException {
    done.accept(store.remove(commit));
  }

  @Override
  public void fail(final Exception failure) {
    Warnings.warn(
        "checkpoint %d, which is not to be kept, stays: %s"
            .formatted(commit.number(), failure.getMessage()));
    done.accept(false);
  }
}
