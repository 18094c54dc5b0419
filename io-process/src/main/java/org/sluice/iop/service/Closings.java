package org.sluice.iop.service;

import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.sluice.core.request.Request;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Reason;
import org.sluice.iop.checkpoint.CapturedFiles;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.outside.Leases;
import org.sluice.iop.outside.Lengths;
import org.sluice.iop.trigger.Checkpoints;

/** The treatment of images that nobody has open, or that lose their names. Service thread only. */
public final class Closings {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final CapturedFiles files;
  private final Drain drain;
  private final Checkpoints checkpoints;
  private final UncountedWrites unseen;
  private final Settling settling;
  private final Leases leases;
  private final Lengths lengths;
  private boolean untidy;

  /** The images that have another name by now, which has to be searched for. */
  private final Set<Image> renamed = new LinkedHashSet<>();

  /** The images that are looked at next, in case they were deleted. */
  private Iterator<Image> round = Collections.emptyIterator();

  public Closings(
      final CapturedFiles files,
      final Drain drain,
      final Checkpoints checkpoints,
      final UncountedWrites unseen,
      final Settling settling,
      final Leases leases,
      final Lengths lengths) {
    this.checkpoints = checkpoints;
    this.files = files;
    this.drain = drain;
    this.unseen = unseen;
    this.settling = settling;
    this.leases = leases;
    this.lengths = lengths;
  }

  /** Does for an image of a former I/O process the steps that may have been left to do. */
  public void look(final Image image) {
    if (image.openers().isEmpty()) {
      if (image.isAbandoned()) {
        drain.correctSize(image);
      }
      ended(image);
    } else {
      checkpoints.groups().look(image);
    }
  }

  /** Takes the last close of an image. */
  void ended(final Image image) {
    files.registry().descriptors().idle(image);
    if (checkpoints.explicit().has(image)) {
      return;
    }
    unseen.closed(image);
    if (image.isLetGo()) {
      settling.takeBack(image);
    }
    lengths.closed(image);
    final Optional<String> name = checkpoints.groups().look(image);
    if (drain.layout().forgetsClosed()) {
      forgetPlain(image);
    } else if (name.isEmpty() && files.capture().hasLost(image)) {
      letGo(image);
    } else {
      files.soleWriter().closed(image);
      leases.closed(image);
    }
    checkpoints.explicit().closed(image);
  }

  /** Forgets a plain file. A program may later give it a name that tells its checkpoint. */
  private void forgetPlain(final Image image) {
    final boolean named = checkpoints.groups().mayHave(image);
    if (named && image.state() == ImageDescriptor.STATE_DIVERTED) {
      settling.makeDirect(image, Reason.NONE, false);
    }
    if (named) {
      drain.startSync(image);
    } else {
      drain.sync(image);
    }
    if (!named && !image.isOpenOutside()) {
      checkpoints.releases().release(image);
    }
  }

  void renamed(final Request.Renamed request) {
    final Image image = files.registry().find(new ImageKey(request.device(), request.inode()));
    if (image == null) {
      return;
    }
    if (image.state() == ImageDescriptor.STATE_DIVERTED
        && files.shared().has(image, image.writer(), false)) {
      settling.makeDirect(image, Reason.NODES, false);
      files.shared().count();
    }
    if (files.capture().mustSearch(image)) {
      renamed.add(image);
    } else if (!checkpoints.groups().names().isAstray(image)) {
      lookAtName(image);
    }
  }

  private void lookAtName(final Image image) {
    checkpoints.explicit().renamed(image);
    checkpoints.groups().look(image);
    if (image.openers().isEmpty() && files.capture().hasLost(image)) {
      letGo(image);
    }
  }

  /** Its room is given back when deleted files are looked for next. */
  private void letGo(final Image image) {
    checkpoints.releases().release(image);
    untidy = true;
  }

  private boolean isKnown(final Image image) {
    return files.registry().find(image.id()) == image;
  }

  /**
   * Releases files that were deleted unseen: as images they would keep room. So do plain files that
   * a checkpoint had, or might have had, at their close. Each call looks at a part of very many
   * files, and the next call at the next part.
   */
  public void forgetDeleted() {
    if (untidy) {
      drain.tidy(false);
    }
    untidy = false;
    final long end = System.nanoTime() + LOOK_NANOS;
    round = round.hasNext() ? round : files.registry().all().iterator();
    while (round.hasNext() && System.nanoTime() - end < 0) {
      final Image image = round.next();
      if (isKnown(image) && image.openers().isEmpty() && !checkpoints.explicit().has(image)) {
        lookAtClosed(image);
      }
    }
  }

  private void lookAtClosed(final Image image) {
    if (image.isDeleted()) {
      checkpoints.groups().look(image);
      letGo(image);
    } else if (drain.layout().forgetsClosed()
        && !image.isOpenOutside()
        && !image.isLeaving()
        && !checkpoints.groups().mayHave(image)) {
      forgetPlain(image);
    }
  }

  /** Looks for images that were given other names while they were at rest. */
  public void findRenamed() {
    if (!renamed.isEmpty() && files.capture().maySearch()) {
      final List<Image> images = List.copyOf(renamed);
      renamed.clear();
      files.capture().search(images.stream().filter(this::isKnown).toList());
      images.stream().filter(this::isKnown).forEach(this::lookAtName);
    }
  }
}
