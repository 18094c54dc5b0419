package org.sluice.iop.service;

import java.io.IOException;
import java.util.List;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.request.RequestDescriptor;
import org.sluice.iop.checkpoint.CapturedFiles;
import org.sluice.iop.drain.Caller;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.image.MissingException;
import org.sluice.iop.image.NotCapturedException;
import org.sluice.iop.measure.Failure;
import org.sluice.iop.trigger.Checkpoints;

/**
 * The queue where an opening waits until this process has a descriptor for its file. The asking
 * process waits for its answer, so that no other request of it comes in between. Service thread
 * only.
 */
public final class OpenQueue {
  private final CapturedFiles files;
  private final Checkpoints checkpoints;
  private final Attachments attachments;
  private final OpenRequests openRequests;
  private final Openings openings;
  private final UncountedWrites unseen;

  public OpenQueue(
      final CapturedFiles files,
      final Checkpoints checkpoints,
      final Attachments attachments,
      final OpenRequests openRequests,
      final Openings openings,
      final UncountedWrites unseen) {
    this.files = files;
    this.checkpoints = checkpoints;
    this.attachments = attachments;
    this.openRequests = openRequests;
    this.openings = openings;
    this.unseen = unseen;
  }

  void open(final Attachment opener, final Request.Open request, final Caller caller) {
    final long began = System.nanoTime();
    final Caller timed =
        reply -> {
          openings.took(began);
          caller.answer(reply);
        };
    final Image known = find(request);
    if (known == null ? Admissions.isNew(request) : known.isAtRest()) {
      checkpoints.resting().whenRoom(() -> isThere(opener), () -> proceed(opener, request, timed));
    } else {
      proceed(opener, request, timed);
    }
  }

  /** Makes an image of a checkpoint, and counts its first opening. */
  void create(final Attachment opener, final Request.Create request, final Caller caller) {
    checkpoints
        .resting()
        .whenRoom(() -> isThere(opener), () -> caller.answer(create(opener, request)));
  }

  private Reply create(final Attachment opener, final Request.Create request) {
    try {
      checkpoints.resting().checkRoom();
    } catch (final NotCapturedException e) {
      return new Reply.Failed(Errno.EMFILE, e.getMessage());
    }
    return checkpoints
        .explicit()
        .create(
            request,
            opener.writer(),
            image -> new Reply.Created(openings.admitted(opener, image, false), image.opened()));
  }

  private boolean isThere(final Attachment opener) {
    return attachments.at(opener.index()) == opener;
  }

  private Image find(final Request.Open request) {
    return files.registry().find(new ImageKey(request.device(), request.inode()));
  }

  private void proceed(final Attachment opener, final Request.Open request, final Caller caller) {
    try {
      wake(request);
      if ((request.flags() & RequestDescriptor.OPEN_WRITE) != 0) {
        unseen.reopened(new ImageKey(request.device(), request.inode()));
      }
      openRequests.open(opener, request, caller);
    } catch (final PosixException e) {
      final boolean again =
          checkpoints
              .resting()
              .isRelieved(e, () -> isThere(opener), () -> proceed(opener, request, caller));
      if (!again) {
        caller.answer(find(request) == null ? openRequests.leave(request, e) : failed(e));
      }
    } catch (final IOException e) {
      caller.answer(failed(e));
    }
  }

  /**
   * Returns the answer to a failure. An image is never plain: its file lacks the bytes of its log.
   */
  private static Reply failed(final IOException e) {
    return new Reply.Failed(Failure.of(e).errno(), e.getMessage());
  }

  /**
   * Wakes an image at rest. An image that is not found makes room for the file that has its inode
   * number by now.
   */
  private void wake(final Request.Open request) throws IOException {
    final Image image = find(request);
    if (image == null || !image.isAtRest()) {
      return;
    }
    try {
      if (image.held().identity().isAt(request.path())) {
        image.name(request.path());
      } else {
        files.capture().search(List.of(image));
      }
      image.file();
    } catch (final MissingException e) {
      image.fail(e);
      files.registry().displace(image);
    }
  }
}
