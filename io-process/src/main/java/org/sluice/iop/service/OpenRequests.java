package org.sluice.iop.service;

import java.util.List;
import java.util.Optional;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.request.RequestDescriptor;
import org.sluice.core.segment.Creations;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Reason;
import org.sluice.iop.checkpoint.Context;
import org.sluice.iop.drain.Caller;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Occurrence;
import org.sluice.iop.outside.Leases;
import org.sluice.iop.trigger.Checkpoints;

/**
 * The answers to processes that open a file, and the intake of their closes. Exactly one process
 * may log an image, as long as no other has the file open. Service thread only.
 */
public final class OpenRequests {
  private static final int NO_ENTRY = 0;
  private static final int NO_IMAGE = 0;

  private final Context context;
  private final Checkpoints checkpoints;
  private final UncountedWrites unseen;
  private final Attachments attachments;
  private final Admissions admissions;
  private final Settling settling;
  private final Ungrouped ungrouped;
  private final Leases leases;
  private final Closings closings;
  private final EarlierFiles earlier;

  public OpenRequests(
      final Context context,
      final Checkpoints checkpoints,
      final UncountedWrites unseen,
      final Attachments attachments,
      final Settling settling,
      final Ungrouped ungrouped,
      final Leases leases,
      final Closings closings) {
    this.checkpoints = checkpoints;
    this.context = context;
    this.closings = closings;
    this.unseen = unseen;
    this.attachments = attachments;
    this.admissions = new Admissions(context, checkpoints, attachments, this);
    this.settling = settling;
    this.ungrouped = ungrouped;
    this.leases = leases;
    this.earlier = new EarlierFiles(context);
  }

  /**
   * Opens a file for a process.
   *
   * @throws PosixException when there is no descriptor left
   */
  void open(final Attachment opener, final Request.Open request, final Caller caller)
      throws PosixException {
    final ImageKey key = new ImageKey(request.device(), request.inode());
    leases.announced(key);
    final Creations.Finding finding = admissions.look(key);
    final Image known = context.registry().find(key);
    if ((request.flags() & RequestDescriptor.OPEN_WRITE) != 0) {
      unseen.reopened(key);
    }
    if (known == null) {
      caller.answer(admissions.admit(opener, request, key, finding));
    } else if (checkpoints.explicit().has(known)) {
      // The shim saw the checkpoint API of its own process open the file; the API logs the image.
      caller.answer(plain(Reason.NONE));
    } else if (known.state() == ImageDescriptor.STATE_COMMITTED) {
      final Reply again = again(known);
      context
          .capture()
          .find(known)
          .ifPresentOrElse(
              path -> checkpoints.replacements().replace(known, path, false, caller, again),
              () -> caller.answer(again));
    } else {
      openKnown(opener, known, request.flags(), caller);
    }
  }

  /**
   * Leaves a file plain that is no image: there is no descriptor for it, and none is going to be.
   */
  Reply leave(final Request.Open request, final PosixException want) {
    return admissions.leave(request, want);
  }

  /**
   * Takes a file as an image that a process moved here; it has nothing to log.
   *
   * @throws PosixException when there is no descriptor left
   */
  Optional<Image> arrived(final Attachment mover, final ImageKey key, final String path)
      throws PosixException {
    final Optional<Image> image = admissions.arrived(mover, key, path);
    if (image.isPresent()) {
      admitted(mover, image.get());
      final long now = System.nanoTime();
      context.decide(new Entry.Closed(image.get().id(), mover.index(), Entry.REFUSED, now, now));
      end(mover, image.get());
    }
    return image;
  }

  /** Counts a new image and its first opening. */
  Reply.Opened admitted(final Attachment opener, final Image image) {
    context.decide(new Entry.Opened(image.id(), opener.index(), true, opener.request()));
    begin(opener, image);
    checkpoints.groups().look(image);
    return opened(image);
  }

  /** Counts an image whose process entered it, which is decided: its file has this name now. */
  void entered(final Attachment opener, final Image image, final Optional<String> path) {
    begin(opener, image);
    checkpoints.groups().look(image, path);
  }

  /** Notes that a file is gone before it could be taken. */
  void deletedUntaken(final Attachment opener, final String path) {
    checkpoints.groups().names().deletedUntaken(path, opener.writer());
  }

  private void begin(final Attachment opener, final Image image) {
    context.statistics().count(Occurrence.FILES, 1);
    use(opener, image, true);
    checkpoints.groups().captured(image.key());
    if (image.state() == ImageDescriptor.STATE_DIVERTED) {
      divert(opener, image);
    }
  }

  private void openKnown(
      final Attachment opener, final Image image, final int flags, final Caller caller) {
    final boolean write = (flags & RequestDescriptor.OPEN_WRITE) != 0;
    final boolean emptied =
        (flags & (RequestDescriptor.OPEN_CREATED | RequestDescriptor.OPEN_MADE))
            == RequestDescriptor.OPEN_CREATED;
    final boolean closed = image.openers().isEmpty();
    final boolean alone = !image.openers().hasOtherThan(opener.index()) && !image.isOpenOutside();
    final boolean direct = image.state() == ImageDescriptor.STATE_DIRECT;
    final boolean wasAbandoned = image.isAbandoned();
    if (emptied) {
      checkpoints.groups().names().emptied(image);
    }
    count(opener, image, write);
    final Reason kept = ungrouped.has(image) ? Reason.UNGROUPED : Reason.NONE;
    final Reason flagged =
        reason(flags, context.shared().has(image, opener.writer(), isMpi(flags)));
    final Reason asked = flagged == Reason.NONE ? kept : flagged;
    if (emptied) {
      image.emptied();
    }
    if (asked != Reason.NONE
        || !alone
        || image.isLetGo()
        || !closed && (direct || emptied)
        || closed && !write) {
      final Reason reason = closed && !write ? Reason.READ : Reason.SHARED;
      openDirect(opener, image, asked == Reason.NONE ? reason : asked, emptied, caller);
    } else if (closed) {
      divertAgain(opener, image, emptied, direct || wasAbandoned, caller);
    } else {
      caller.answer(opened(image));
    }
    checkpoints.groups().look(image);
  }

  /**
   * Returns the reason why it must not be diverted; NONE when it may be.
   *
   * @param others whether other nodes may write it, too
   */
  static Reason reason(final int flags, final boolean others) {
    if (others) {
      return Reason.NODES;
    }
    if ((flags & RequestDescriptor.OPEN_DIRECT) == 0) {
      return Reason.NONE;
    }
    final Reason reason = Reason.of(flags >> RequestDescriptor.OPEN_REASON_SHIFT);
    return reason == Reason.NONE ? Reason.OTHER : reason;
  }

  static boolean isMpi(final int flags) {
    return (flags & RequestDescriptor.OPEN_MPI) != 0;
  }

  private void openDirect(
      final Attachment opener,
      final Image image,
      final Reason reason,
      final boolean emptied,
      final Caller caller) {
    if (image.state() != ImageDescriptor.STATE_DIRECT) {
      settling.makeDirect(image, reason, emptied);
    } else if (emptied) {
      context.drain().empty(image, !image.isLetGo());
    }
    context
        .drain()
        .answer(
            caller,
            () -> {
              if (image.errno() != 0) {
                refuse(opener, image);
              }
              return Settling.unlessFailed(image, opened(RequestDescriptor.DIRECT, image));
            });
  }

  /** Makes the opener the new and only writer of a closed image. */
  private void divertAgain(
      final Attachment opener,
      final Image image,
      final boolean emptied,
      final boolean sizeUnknown,
      final Caller caller) {
    final boolean touchesFile =
        context.layout().drainsToFiles()
            || sizeUnknown
            || image.errno() != 0
            || emptied && !cut(image);
    if (image.state() == ImageDescriptor.STATE_DIRECT) {
      image.reason(Reason.NONE);
      image.state(ImageDescriptor.STATE_DIVERTED);
      context.drain().divert(image);
    }
    if (emptied) {
      context.drain().empty(image, touchesFile);
      image.size(0);
    }
    divert(opener, image);
    if (sizeUnknown || emptied && touchesFile) {
      context.drain().answer(caller, () -> opened(RequestDescriptor.DIVERT, image));
    } else {
      caller.answer(opened(image));
    }
  }

  /**
   * Cuts the length of a file with its bytes, also if the process dies before it empties the file
   * itself.
   */
  private static boolean cut(final Image image) {
    try {
      final Optional<NativeFile> file = image.held().descriptor();
      if (file.isPresent() && file.get().size() > 0) {
        file.get().resize(0);
      }
      return file.isPresent();
    } catch (final PosixException e) {
      return false;
    }
  }

  private void divert(final Attachment opener, final Image image) {
    image.openers().writer(opener.index());
    opener.granted(image);
    context.drain().grant(opener.index(), image);
  }

  private void count(final Attachment opener, final Image image, final boolean write) {
    context.decide(new Entry.Opened(image.id(), opener.index(), write, opener.request()));
    use(opener, image, write);
  }

  private void use(final Attachment opener, final Image image, final boolean write) {
    opener.images().putIfAbsent(image, System.nanoTime());
    context.registry().descriptors().busy(image);
    image.held().use();
    if (write) {
      checkpoints.releases().rewritten(image);
    }
  }

  /** Ends an opening, at a time that the process tells. */
  public void close(final Attachment opener, final Rings.Close close) {
    final Image image = context.registry().find(close.imageId());
    final boolean known = image != null && image.openers().has(opener.index());
    final long end = Math.min(close.closed(), System.nanoTime());
    final long begin = known && image.hasBytes() ? Math.min(close.opened(), end) : 0;
    context.decide(new Entry.Closed(close.imageId(), opener.index(), close.position(), begin, end));
    if (known) {
      image.closed(end);
      record(opener, image, Math.min(close.opened(), end), end);
      end(opener, image);
    }
  }

  /** Takes back an opening that is answered with an error. Last stage, before the answer. */
  private void refuse(final Attachment opener, final Image image) {
    final Entry refusal =
        context.journal().write(new Entry.Closed(image.id(), opener.index(), Entry.REFUSED, 0, 0));
    context
        .service()
        .execute(
            () -> {
              context.state().apply(refusal);
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
        context.drain().revoke(opener.index(), image);
      }
    }
  }

  private void record(
      final Attachment opener, final Image image, final long opened, final long closed) {
    context.statistics().returned(opener.writer().process(), opened, closed);
    image.times().add(opener.writer().process(), opened, closed);
  }

  /** Takes a process that is gone with the images that it had open. */
  public void abandon(final Attachment opener) {
    opener.images().forEach((image, opened) -> abandon(opener, image, opened));
  }

  private void abandon(final Attachment opener, final Image image, final long opened) {
    record(opener, image, opened, System.nanoTime());
    context.drain().correctSize(image);
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
    final Image image = context.registry().find(opening.image());
    if (image != null && image.openers().has(opener.index())) {
      final long how = opening.writes() ? Entry.NO_POSITION : Entry.REFUSED;
      context.decide(new Entry.Closed(image.id(), opener.index(), how, 0, System.nanoTime()));
      letGo(opener, image);
    }
  }

  /**
   * Holds closed files. A program that opens a closed file past the shim finds it whole from here
   * on, or waits. A file that its process has not closed yet, as it ends, no lease can hold.
   */
  void hold(final Caller caller) {
    final List<Image> open = leases.hold(image -> !checkpoints.explicit().has(image));
    if (open.isEmpty()) {
      caller.answer(new Reply.Done());
    } else {
      open.forEach(image -> settling.makeDirect(image, Reason.OTHER, false));
      context.drain().answer(caller, Reply.Done::new);
    }
  }

  void replace(final Attachment opener, final Request.Replace request, final Caller caller) {
    final ImageKey key = new ImageKey(request.device(), request.inode());
    if (context.registry().find(key) == null) {
      attachments.poll(); // a file that its process entered is about to get another name
    }
    final Image image = context.registry().find(key);
    final boolean stays = (request.flags() & RequestDescriptor.REPLACE_NONE) != 0;
    leases.giveBack(key);
    final boolean empty = (request.flags() & RequestDescriptor.REPLACE_TRUNCATE) != 0;
    if (image == null && empty) {
      earlier.replace(key, admissions.path(request.path(), key), opener.writer());
    }
    if (image == null || stays || image.state() != ImageDescriptor.STATE_COMMITTED) {
      caller.answer(new Reply.Done());
      return;
    }
    final String path = admissions.path(request.path(), key).orElse("");
    checkpoints.replacements().replace(image, path, empty, caller, new Reply.Done());
  }

  /**
   * Returns the answer for a committed file: the file this process opened must not change, and may
   * not hold everything.
   */
  private static Reply again(final Image image) {
    return new Reply.Failed(
        Errno.ESTALE, "%s was committed; open it again".formatted(image.opened()));
  }

  static Reply.Opened plain(final Reason reason) {
    return new Reply.Opened(RequestDescriptor.PLAIN, NO_ENTRY, NO_IMAGE, reason.ordinal(), 0);
  }

  private static Reply.Opened opened(final Image image) {
    final boolean diverted = image.state() == ImageDescriptor.STATE_DIVERTED;
    return opened(diverted ? RequestDescriptor.DIVERT : RequestDescriptor.DIRECT, image);
  }

  private static Reply.Opened opened(final int disposition, final Image image) {
    final Reason reason = disposition == RequestDescriptor.DIVERT ? Reason.NONE : image.reason();
    return new Reply.Opened(disposition, image.entry(), image.id(), reason.ordinal(), image.size());
  }
}
