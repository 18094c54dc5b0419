package org.sluice.iop.service;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Reason;
import org.sluice.iop.checkpoint.Checkpoints;
import org.sluice.iop.checkpoint.Context;
import org.sluice.iop.image.Image;

/**
 * Checkpoints that are not committed though nothing is written to them any more, as ranks are
 * missing. A node that dies would take their bytes along, which plain files would have kept. So
 * their files are made plain; they can still be committed. Service thread only.
 */
final class Overdue {
  private final Context context;
  private final Checkpoints checkpoints;
  private final Settling settling;

  /** What each had when it was looked at, and since when it has that. */
  private final Map<Long, Written> written = new HashMap<>();

  /** How much is written, and since when nothing more was, as {@link System#nanoTime} tells. */
  private record Written(int files, long bytes, long closed, long since) {
    Written or(final Written former) {
      return former != null
              && former.files == files
              && former.bytes == bytes
              && former.closed == closed
          ? former
          : this;
    }
  }

  Overdue(final Context context, final Checkpoints checkpoints, final Settling settling) {
    this.context = context;
    this.checkpoints = checkpoints;
    this.settling = settling;
  }

  /** Looks at all of them. What is written in place is there within a second. */
  void beat() {
    if (context.drain().isInPlace()) {
      return;
    }
    final Map<Long, List<Image>> logged = checkpoints.groups().logged(Overdue::isLogged);
    written.keySet().retainAll(logged.keySet());
    logged.forEach(this::look);
  }

  private static boolean isLogged(final Image image) {
    return image.state() == ImageDescriptor.STATE_DIVERTED && !image.isLeaving();
  }

  private void look(final long number, final List<Image> images) {
    final Written now = now(images).or(written.get(number));
    written.put(number, now);
    if (System.nanoTime() - now.since() >= context.settings().settle().toNanos()) {
      images.forEach(image -> settling.makeDirect(image, Reason.UNGROUPED, false));
    }
  }

  private static Written now(final List<Image> images) {
    return new Written(
        images.size(),
        images.stream().mapToLong(Image::size).sum(),
        images.stream().mapToLong(Image::closed).max().orElse(0),
        System.nanoTime());
  }
}
