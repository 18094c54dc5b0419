package org.sluice.restart;

import java.io.IOException;
import java.util.List;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.Sharing;
import org.sluice.core.store.node.CheckpointReader;

/**
 * The contents of a checkpoint that a restore is to give back.
 *
 * @param images the images to rebuild
 * @param direct files that stay where they are
 */
record Contents(List<CommittedImage> images, DirectFiles direct) {
  /**
   * Reads the contents of a checkpoint, which is held.
   *
   * @param rank the rank whose images are wanted; null for all
   * @param partial whether ranks may lack, and direct files may have changed
   */
  static Contents of(
      final CheckpointReader store, final Commit commit, final Integer rank, final boolean partial)
      throws IOException {
    final List<CommittedImage> all = store.images(commit);
    final DirectFiles direct = DirectFiles.of(all);
    if (!partial) {
      direct.check();
    }
    return new Contents(
        Selection.images(commit, Sharing.held(all), rank, partial, direct.exist()), direct);
  }
}
