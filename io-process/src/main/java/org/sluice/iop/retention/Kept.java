package org.sluice.iop.retention;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.sluice.core.store.directory.Farewell;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.iop.checkpoint.Context;
import org.sluice.iop.image.Image;

/**
 * A committed checkpoint that counts among those that stay.
 *
 * @param place among all, in the order in which they were decided; below 0 for an earlier run's
 * @param images those of this session, captured
 */
record Kept(Commit commit, long place, Set<Image> images) {
  long number() {
    return commit.number();
  }

  boolean isEarlier() {
    return place < 0;
  }

  /** Removes it, right behind a farewell that may prevent it; false where it stays. Last stage. */
  boolean remove(final Context context, final Farewell farewell) throws IOException {
    return isEarlier()
        ? context.publisher().removeEarlier(commit, farewell)
        : context.publisher().remove(commit, farewell);
  }

  /** What it has, on all nodes if it is an earlier run's. Last stage. */
  List<CommittedImage> stored(final Context context) throws IOException {
    return isEarlier() ? context.publisher().imagesOf(commit) : context.store().images(commit);
  }
}
