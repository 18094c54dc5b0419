package org.sluice.iop.service;

import java.util.LinkedHashMap;
import java.util.concurrent.TimeUnit;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Layout;
import org.sluice.core.segment.Reason;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageRegistry;
import org.sluice.iop.trigger.Checkpoints;

/**
 * The files of no checkpoint in the container layout. No restart would give their bytes back, so
 * each is a plain file within a second. A program may write a file under another name and rename it
 * when it is whole. So a file gets that time, unless no name tells of checkpoints. Service thread
 * only.
 */
public final class Ungrouped {
  /** The time before a file is made plain: with the settle itself well below a second. */
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final ImageRegistry registry;
  private final Layout layout;
  private final Checkpoints checkpoints;
  private final Settling settling;

  /** The times when images are made plain, in that order. */
  private final LinkedHashMap<Image, Long> due = new LinkedHashMap<>();

  public Ungrouped(
      final ImageRegistry registry,
      final Layout layout,
      final Checkpoints checkpoints,
      final Settling settling) {
    this.registry = registry;
    this.layout = layout;
    this.checkpoints = checkpoints;
    this.settling = settling;
  }

  /** Adds an image that is in no group. */
  public void add(final Image image) {
    if (!layout.settlesUncommitted() || !isLogged(image)) {
      return;
    }
    if (checkpoints.groups().exist()) {
      due.putIfAbsent(image, System.nanoTime() + PATIENCE_NANOS);
    } else {
      settling.makeDirect(image, Reason.UNGROUPED, false);
    }
  }

  /** Returns whether an image that is opened again stays a plain file. */
  boolean has(final Image image) {
    return image.state() == ImageDescriptor.STATE_DIRECT
        && image.reason() == Reason.UNGROUPED
        && !checkpoints.groups().mayCommit(image);
  }

  /** Makes the due images plain. To make one plain may add others. */
  public void proceed() {
    while (!due.isEmpty() && due.firstEntry().getValue() - System.nanoTime() <= 0) {
      final Image image = due.pollFirstEntry().getKey();
      if (isLogged(image) && !checkpoints.groups().mayCommit(image)) {
        settling.makeDirect(image, Reason.UNGROUPED, false);
      }
    }
  }

  private boolean isLogged(final Image image) {
    return registry.find(image.id()) == image
        && image.state() == ImageDescriptor.STATE_DIVERTED
        && !image.isLeaving()
        && image.added() == null
        && !checkpoints.explicit().has(image);
  }

  /** Returns the time until the next step is due, in milliseconds, at most a limit. */
  public long patience(final long limit) {
    return due.isEmpty()
        ? limit
        : Math.clamp(
            TimeUnit.NANOSECONDS.toMillis(due.firstEntry().getValue() - System.nanoTime()),
            1,
            limit);
  }
}
