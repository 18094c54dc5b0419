package org.sluice.iop.service;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Reason;
import org.sluice.iop.checkpoint.Context;
import org.sluice.iop.image.Image;
import org.sluice.iop.trigger.Checkpoints;

/**
 * Files of checkpoints that are not committed though nothing is written to them any more, as ranks
 * are missing, or as the checkpoint gets more and more files. A node that dies would take their
 * bytes along, which plain files would have kept. So they are made plain; they can still be
 * committed. Service thread only.
 */
public final class Overdue {
  private final Context context;
  private final Checkpoints checkpoints;
  private final Settling settling;

  /** What each image had when it was looked at, and since when it has that, by its id. */
  private final Map<Integer, Written> written = new HashMap<>();

  /** How much is written, and since when nothing more was, as {@link System#nanoTime} tells. */
  private record Written(long bytes, long closed, long since) {
    Written or(final Written former) {
      return former != null && former.bytes == bytes && former.closed == closed ? former : this;
    }
  }

  public Overdue(final Context context, final Checkpoints checkpoints, final Settling settling) {
    this.context = context;
    this.checkpoints = checkpoints;
    this.settling = settling;
  }

  /** Looks at all of them. What is written in place is there within a second. */
  public void beat() {
    if (!context.layout().settlesUncommitted()) {
      return;
    }
    final Map<Integer, Image> logged =
        checkpoints.groups().logged(Overdue::isLogged).values().stream()
            .flatMap(images -> images.stream())
            .collect(Collectors.toMap(Image::id, Function.identity()));
    written.keySet().retainAll(logged.keySet());
    logged.values().forEach(this::look);
  }

  private static boolean isLogged(final Image image) {
    return image.state() == ImageDescriptor.STATE_DIVERTED && !image.isLeaving();
  }

  private void look(final Image image) {
    final Written now =
        new Written(image.size(), image.closed(), System.nanoTime()).or(written.get(image.id()));
    written.put(image.id(), now);
    if (System.nanoTime() - now.since() >= context.settings().settle().toNanos()) {
      settling.makeDirect(image, Reason.UNGROUPED, false);
    }
  }
}
