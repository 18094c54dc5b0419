package org.sluice.iop.trigger;

import java.util.Iterator;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.group.Groups;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageRegistry;
import org.sluice.iop.measure.Warnings;

/** The plain files that remain of images at the end of a run. Service thread only. */
public final class LastSettling {
  /** The number of images settled at once, whose files need descriptors then. */
  private static final int AT_ONCE = 32;

  private final ImageRegistry registry;
  private final Drain drain;
  private final Groups groups;
  private final Resting resting;
  private final Replacements replacements;

  public LastSettling(
      final ImageRegistry registry,
      final Drain drain,
      final Groups groups,
      final Resting resting,
      final Replacements replacements) {
    this.registry = registry;
    this.drain = drain;
    this.groups = groups;
    this.resting = resting;
    this.replacements = replacements;
  }

  /**
   * Makes plain files of the images that are not committed, and brings them to storage. Images are
   * done in batches, as each needs a descriptor.
   *
   * @param next action after all images, run on the service thread
   */
  public void settle(final Runnable next) {
    settle(registry.all().iterator(), next);
  }

  private void settle(final Iterator<Image> images, final Runnable next) {
    for (int i = 0; i < AT_ONCE && images.hasNext(); i++) {
      final Image image = images.next();
      if (registry.find(image.id()) == image) { // the image may have been released since the begin
        settle(image);
      }
    }
    resting.afterRest(images.hasNext() ? () -> settle(images, next) : next);
  }

  /**
   * Makes a plain file of an image. An image of an older commit becomes one as well when its
   * checkpoint has changed since.
   */
  private void settle(final Image image) {
    if (image.isCommitted() && groups.hasChanged(image) && !image.isDeleted()) {
      replacements.unshare(
          image,
          () -> makePlain(image),
          failure ->
              Warnings.warn(
                  "%s is in the store alone, as it was committed: %s"
                      .formatted(image.opened(), failure.getMessage())));
    } else {
      makePlain(image);
    }
  }

  private void makePlain(final Image image) {
    if (image.isCommitted() && groups.hasChanged(image)) {
      image.state(image.uncommitted());
    }
    if (!image.isDeleted()) {
      if (image.state() == ImageDescriptor.STATE_DIVERTED) {
        image.state(ImageDescriptor.STATE_DIRECT);
        drain.makeDirect(image, new int[0], false);
      }
      if (image.state() == ImageDescriptor.STATE_DIRECT) {
        drain.sync(image);
      }
    }
  }
}
