package org.sluice.iop.retention;

import java.util.Set;
import org.sluice.core.store.model.Commit;
import org.sluice.iop.image.Image;

/**
 * A committed checkpoint that counts among those that stay.
 *
 * @param place among all, in the order in which they were decided
 * @param images those of this session, captured
 * @param shelf where it is
 */
record Kept(Commit commit, long place, Set<Image> images, Shelf shelf) {
  long number() {
    return commit.number();
  }
}
