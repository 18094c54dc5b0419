package org.sluice.iop.retention;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.sluice.core.store.directory.Farewell;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.iop.checkpoint.CheckpointStorage;
import org.sluice.iop.image.Image;

/**
 * A committed checkpoint that is counted by the retention.
 *
 * @param place ordinal in the order in which checkpoints were decided; below 0 for an earlier run's
 */
record Kept(Commit commit, long place, Set<Image> images) {
  long number() {
    return commit.number();
  }

  boolean isEarlier() {
    return place < 0;
  }

  /**
   * Removes the checkpoint, right after a farewell that may prevent it. Returns false when the
   * checkpoint stays. Last stage.
   */
  boolean remove(final CheckpointStorage storage, final Farewell farewell) throws IOException {
    return isEarlier()
        ? storage.publisher().removeEarlier(commit, farewell)
        : storage.publisher().remove(commit, farewell);
  }

  /** Returns the images of the checkpoint; for an earlier run those of all nodes. Last stage. */
  List<CommittedImage> stored(final CheckpointStorage storage) throws IOException {
    return isEarlier() ? storage.publisher().imagesOf(commit) : storage.store().images(commit);
  }
}
