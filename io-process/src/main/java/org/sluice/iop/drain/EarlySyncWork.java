package org.sluice.iop.drain;

import java.io.IOException;
import org.sluice.iop.image.Image;

/**
 * A sync of an image that a commit will sync again. Where syncs do not go on beside others, the
 * kernel only starts to write: then one transaction of the file system has all files of the commit.
 */
final class EarlySyncWork extends SyncWork {
  EarlySyncWork(final DrainContext context, final Image image) {
    super(context, image, now -> {});
  }

  @Override
  public void commit() throws IOException {
    if (hasBegun()) {
      super.commit();
    }
  }
}
