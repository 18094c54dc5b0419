package org.sluice.iop.service;

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
import org.sluice.iop.checkpoint.CapturedFiles;
import org.sluice.iop.drain.Caller;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.trigger.Checkpoints;

/**
 * The answers to processes that open a file. Exactly one process may log an image, as long as no
 * other has the file open. Service thread only.
 */
public final class OpenRequests {
  private final CapturedFiles files;
  private final Drain drain;
  private final Checkpoints checkpoints;
  private final Settling settling;
  private final Ungrouped ungrouped;
  private final Admissions admissions;
  private final Openings openings;

  public OpenRequests(
      final CapturedFiles files,
      final Drain drain,
      final Checkpoints checkpoints,
      final Settling settling,
      final Ungrouped ungrouped,
      final Admissions admissions,
      final Openings openings) {
    this.files = files;
    this.drain = drain;
    this.checkpoints = checkpoints;
    this.settling = settling;
    this.ungrouped = ungrouped;
    this.admissions = admissions;
    this.openings = openings;
  }

  /**
   * Opens a file for a process.
   *
   * @throws PosixException when there is no descriptor left
   */
  void open(final Attachment opener, final Request.Open request, final Caller caller)
      throws PosixException {
    final ImageKey key = new ImageKey(request.device(), request.inode());
    final Creations.Finding finding = admissions.look(key);
    final Image known = files.registry().find(key);
    if (known == null) {
      caller.answer(admissions.admit(opener, request, key, finding));
    } else if (checkpoints.explicit().has(known)) {
      // The shim saw the checkpoint API of its own process open the file; the API logs the image.
      caller.answer(Openings.plain(Reason.NONE));
    } else if (known.state() == ImageDescriptor.STATE_COMMITTED) {
      final Reply again = again(known);
      files
          .capture()
          .find(known)
          .ifPresentOrElse(
              path -> checkpoints.replacements().replace(known, path, false, caller, again),
              () -> caller.answer(again));
    } else {
      openKnown(opener, known, request.flags(), caller);
    }
  }

  /** Leaves a file plain, as there is no descriptor for it, and none is going to be. */
  Reply leave(final Request.Open request, final PosixException want) {
    return admissions.leave(request, want);
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
    openings.count(opener, image, write);
    if ((flags & RequestDescriptor.OPEN_CREATED) != 0) {
      checkpoints.explicit().written(image, opener.writer());
    } else if (write) {
      checkpoints.explicit().reopened(image, opener.writer());
    }
    final Reason kept = ungrouped.has(image) ? Reason.UNGROUPED : Reason.NONE;
    final Reason flagged =
        Admissions.reason(
            opener, flags, files.shared().has(image, opener.writer(), Admissions.isMpi(flags)));
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
      caller.answer(Openings.opened(image));
    }
    checkpoints.groups().look(image);
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
      drain.empty(image, !image.isLetGo());
    }
    drain.answer(
        caller,
        () -> {
          if (image.errno() != 0) {
            openings.refuse(opener, image);
          }
          return Settling.unlessFailed(image, Openings.opened(RequestDescriptor.DIRECT, image));
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
        drain.layout().drainsToFiles()
            || sizeUnknown
            || image.errno() != 0
            || emptied && !cut(image);
    if (image.state() == ImageDescriptor.STATE_DIRECT) {
      image.reason(Reason.NONE);
      image.state(ImageDescriptor.STATE_DIVERTED);
      drain.divert(image);
    }
    if (emptied) {
      drain.empty(image, touchesFile);
      image.size(0);
    }
    openings.divert(opener, image);
    if (sizeUnknown || emptied && touchesFile) {
      drain.answer(caller, () -> Openings.opened(RequestDescriptor.DIVERT, image));
    } else {
      caller.answer(Openings.opened(image));
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

  /**
   * Returns the answer for a committed file: the file this process opened must not change, and may
   * not hold everything.
   */
  private static Reply again(final Image image) {
    return new Reply.Failed(
        Errno.ESTALE, "%s was committed; open it again".formatted(image.opened()));
  }
}
