package org.sluice.iop.service;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Layout;
import org.sluice.core.segment.Reason;
import org.sluice.iop.group.Groups;
import org.sluice.iop.image.Image;

/**
 * The files of checkpoints that are not committed though nothing is written to them any more. Ranks
 * are missing, or the checkpoint gets more and more files. A node that dies would take their bytes
 * along, which plain files would have kept. So they are made plain; they can still be committed.
 * Service thread only.
 */
public final class Overdue {
  private final Layout layout;
  private final Duration settle;
  private final Groups groups;
  private final Settling settling;

  /** The amount written to each image at the last look, with its time, by the image's id. */
  private final Map<Integer, Written> written = new HashMap<>();

  /** The amount written, and the time since which nothing more was, by {@link System#nanoTime}. */
  private record Written(long bytes, long closed, long since) {
    Written or(final Written former) {
      return former != null && former.bytes == bytes && former.closed == closed ? former : this;
    }
  }

  public Overdue(
      final Layout layout, final Duration settle, final Groups groups, final Settling settling) {
    this.layout = layout;
    this.settle = settle;
    this.groups = groups;
    this.settling = settling;
  }

  /** Looks at all such images. Bytes written in place are there within a second. */
  public void beat() {
    if (!layout.settlesUncommitted()) {
      return;
    }
    final Map<Integer, Image> logged =
        groups.logged(Overdue::isLogged).values().stream()
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
    if (System.nanoTime() - now.since() >= settle.toNanos()) {
      settling.makeDirect(image, Reason.UNGROUPED, false);
    }
  }
}
