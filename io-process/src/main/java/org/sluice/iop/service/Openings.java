package org.sluice.iop.service;

import java.util.Optional;
import org.sluice.core.request.Reply;
import org.sluice.core.request.RequestDescriptor;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Reason;
import org.sluice.iop.checkpoint.Decisions;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageRegistry;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Occurrence;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Timed;
import org.sluice.iop.trigger.Checkpoints;

/**
 * The openings of images by processes, from the first to the last close. Service thread only, but
 * for methods that name the last stage.
 */
public final class Openings {
  private static final int NO_ENTRY = 0;
  private static final int NO_IMAGE = 0;

  private final Decisions decisions;
  private final ImageRegistry registry;
  private final Drain drain;
  private final Statistics statistics;
  private final Checkpoints checkpoints;
  private final Closings closings;

  public Openings(
      final Decisions decisions,
      final ImageRegistry registry,
      final Drain drain,
      final Statistics statistics,
      final Checkpoints checkpoints,
      final Closings closings) {
    this.decisions = decisions;
    this.registry = registry;
    this.drain = drain;
    this.statistics = statistics;
    this.checkpoints = checkpoints;
    this.closings = closings;
  }

  /** Counts how long an opening took, since a time by {@link System#nanoTime}. */
  void took(final long began) {
    statistics.took(Timed.OPEN, began);
  }

  /**
   * Counts a new image and its first opening.
   *
   * @param created whether this process has created or emptied the file
   */
  Reply.Opened admitted(final Attachment opener, final Image image, final boolean created) {
    decisions.decide(new Entry.Opened(image.id(), opener.index(), true, opener.request()));
    begin(opener, image);
    if (created) {
      checkpoints.explicit().written(image, opener.writer());
    }
    checkpoints.groups().look(image);
    return opened(image);
  }

  /** Counts an image whose process entered it, which is decided: its file has this name now. */
  void entered(final Attachment opener, final Image image, final Optional<String> path) {
    begin(opener, image);
    checkpoints.explicit().written(image, opener.writer());
    checkpoints.groups().look(image, path);
  }

  /** Notes that a file is gone before it could be taken. */
  void deletedUntaken(final Attachment opener, final String path) {
    checkpoints.groups().names().deletedUntaken(path, opener.writer());
  }

  private void begin(final Attachment opener, final Image image) {
    statistics.count(Occurrence.FILES, 1);
    use(opener, image, true);
    checkpoints.groups().captured(image.key());
    if (image.state() == ImageDescriptor.STATE_DIVERTED) {
      divert(opener, image);
    }
  }

  void divert(final Attachment opener, final Image image) {
    image.openers().writer(opener.index());
    opener.granted(image);
    drain.grant(opener.index(), image);
  }

  void count(final Attachment opener, final Image image, final boolean write) {
    decisions.decide(new Entry.Opened(image.id(), opener.index(), write, opener.request()));
    use(opener, image, write);
  }

  private void use(final Attachment opener, final Image image, final boolean write) {
    opener.images().putIfAbsent(image, System.nanoTime());
    registry.descriptors().busy(image);
    image.held().use();
    if (write) {
      checkpoints.releases().rewritten(image);
    }
  }

  /** Ends an opening, at a time that the process tells. */
  public void close(final Attachment opener, final Rings.Close close) {
    final Image image = registry.find(close.imageId());
    final boolean known = image != null && image.openers().has(opener.index());
    final long end = Math.min(close.closed(), System.nanoTime());
    final long begin = known && image.hasBytes() ? Math.min(close.opened(), end) : 0;
    decisions.decide(
        new Entry.Closed(close.imageId(), opener.index(), close.position(), begin, end));
    if (known) {
      image.closed(end);
      record(opener, image, Math.min(close.opened(), end), end);
      end(opener, image);
    }
  }

  /** Takes back an opening that is answered with an error. Last stage, before the answer. */
  void refuse(final Attachment opener, final Image image) {
    final Entry refusal =
        decisions
            .journal()
            .write(new Entry.Closed(image.id(), opener.index(), Entry.REFUSED, 0, 0));
    drain
        .service()
        .execute(
            () -> {
              decisions.state().apply(refusal);
              end(opener, image);
            });
  }

  private void end(final Attachment opener, final Image image) {
    letGo(opener, image);
    if (image.openers().isEmpty()) {
      closings.ended(image);
    }
  }

  /** Ends the process's part in the image, unless it has another opening of it. */
  private void letGo(final Attachment opener, final Image image) {
    if (!image.openers().has(opener.index())) {
      opener.images().remove(image);
      if (opener.revoked(image)) {
        drain.revoke(opener.index(), image);
      }
    }
  }

  private void record(
      final Attachment opener, final Image image, final long opened, final long closed) {
    statistics.returned(opener.writer().process(), opened, closed);
    image.times().add(opener.writer().process(), opened, closed);
  }

  /** Takes a process that is gone with the images that it had open. */
  public void abandon(final Attachment opener) {
    opener.images().forEach((image, opened) -> abandon(opener, image, opened));
  }

  private void abandon(final Attachment opener, final Image image, final long opened) {
    record(opener, image, opened, System.nanoTime());
    drain.correctSize(image);
    if (image.openers().isEmpty()) {
      closings.ended(image);
    }
  }

  /**
   * Undoes an opening that the process asks for once more, as it was not answered. The process
   * would have written the file, which is therefore not whole before the process comes or another
   * one writes it.
   */
  void undo(final Attachment opener, final Entry.Opened opening) {
    final Image image = registry.find(opening.image());
    if (image != null && image.openers().has(opener.index())) {
      final long how = opening.writes() ? Entry.NO_POSITION : Entry.REFUSED;
      decisions.decide(new Entry.Closed(image.id(), opener.index(), how, 0, System.nanoTime()));
      letGo(opener, image);
    }
  }

  static Reply.Opened plain(final Reason reason) {
    return new Reply.Opened(RequestDescriptor.PLAIN, NO_ENTRY, NO_IMAGE, reason.ordinal(), 0);
  }

  static Reply.Opened opened(final Image image) {
    final boolean diverted = image.state() == ImageDescriptor.STATE_DIVERTED;
    return opened(diverted ? RequestDescriptor.DIVERT : RequestDescriptor.DIRECT, image);
  }

  static Reply.Opened opened(final int disposition, final Image image) {
    final Reason reason = disposition == RequestDescriptor.DIVERT ? Reason.NONE : image.reason();
    return new Reply.Opened(disposition, image.entry(), image.id(), reason.ordinal(), image.size());
  }

  /** Takes back the opening of a file that a process moved here; it has nothing to log. */
  void arrived(final Attachment mover, final Image image) {
    admitted(mover, image, true);
    final long now = System.nanoTime();
    decisions.decide(new Entry.Closed(image.id(), mover.index(), Entry.REFUSED, now, now));
    end(mover, image);
  }
}
