package org.sluice.iop.service;

import java.util.Optional;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.request.RequestDescriptor;
import org.sluice.core.segment.Creations;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Reason;
import org.sluice.iop.checkpoint.CapturedFiles;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.image.NotCapturedException;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Warnings;
import org.sluice.iop.outside.Leases;
import org.sluice.iop.trigger.Checkpoints;

/** The decision whether an opened file becomes an image. Service thread only. */
public final class Admissions {
  private final CapturedFiles files;
  private final Creations creations;
  private final Statistics statistics;
  private final Checkpoints checkpoints;
  private final Attachments attachments;
  private final Leases leases;
  private final Openings openings;

  public Admissions(
      final CapturedFiles files,
      final Creations creations,
      final Statistics statistics,
      final Checkpoints checkpoints,
      final Attachments attachments,
      final Leases leases,
      final Openings openings) {
    this.files = files;
    this.creations = creations;
    this.statistics = statistics;
    this.checkpoints = checkpoints;
    this.attachments = attachments;
    this.leases = leases;
    this.openings = openings;
  }

  /** Returns whether a file becomes an image if it is none. */
  static boolean isNew(final Request.Open request) {
    return has(request, RequestDescriptor.OPEN_CREATED | RequestDescriptor.OPEN_WRITE)
        || has(request, RequestDescriptor.OPEN_GROWN);
  }

  private static boolean has(final Request.Open request, final int flags) {
    return (request.flags() & flags) == flags;
  }

  /**
   * Returns the reason why it must not be diverted; NONE when it may be. Nobody takes what a
   * process logs whose ring is damaged.
   *
   * @param others whether other nodes may write it, too
   */
  static Reason reason(final Attachment opener, final int flags, final boolean others) {
    if (others) {
      return Reason.NODES;
    }
    if (opener.isCorrupt()) {
      return Reason.OTHER;
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

  /**
   * Takes the news of a file. The processes that have it open may have closed it, and the process
   * that created it may have entered it. A process that is about to enter it is going to ask.
   */
  Creations.Finding look(final ImageKey key) {
    leases.announced(key);
    attachments.pollOpeners(files.registry().find(key));
    if (files.registry().find(key) != null) {
      return Creations.Finding.NOTHING;
    }
    final Creations.Finding finding = creations.open(key.device(), key.inode());
    attachments.poll();
    if (files.registry().find(key) != null) {
      close(key);
      attachments.pollOpeners(files.registry().find(key));
    }
    return finding;
  }

  private void close(final ImageKey key) {
    creations.close(key.device(), key.inode());
  }

  /**
   * Admits a file. A process that created a file which stays plain, and is empty, asks for it
   * later.
   */
  Reply.Opened admit(
      final Attachment opener,
      final Request.Open request,
      final ImageKey key,
      final Creations.Finding finding)
      throws PosixException {
    final Reply.Opened reply = decide(opener, request, key, finding);
    if (reply.disposition() != RequestDescriptor.PLAIN
        || !has(request, RequestDescriptor.OPEN_EMPTY)) {
      close(key);
    }
    return reply;
  }

  /**
   * Decides on a file: a new one is captured, any other left alone. The second process to come, be
   * it the file's creator or another one, makes it direct.
   */
  private Reply.Opened decide(
      final Attachment opener,
      final Request.Open request,
      final ImageKey key,
      final Creations.Finding finding)
      throws PosixException {
    if (!isNew(request)
        && finding != Creations.Finding.CONTESTED
        && !mayBeNewOnOtherNode(opener, request)) {
      return leaveExisting(opener, request, key);
    }
    final Optional<String> path = path(request.path(), key);
    if (path.isEmpty()) {
      return Openings.plain(Reason.ELSEWHERE);
    }
    try {
      final Reason reason = finding == Creations.Finding.NOTHING ? Reason.NONE : Reason.SHARED;
      return openings.admitted(
          opener,
          admit(opener, key, path.get(), request.flags(), reason),
          has(request, RequestDescriptor.OPEN_CREATED));
    } catch (final NotCapturedException e) {
      lacks(key, path.get(), e.reason());
      if (has(request, RequestDescriptor.OPEN_CREATED)) {
        checkpoints.explicit().lacks(opener.writer(), path.get(), e.getMessage());
      }
      return leave(key, path.get(), e.reason(), e.getMessage());
    }
  }

  /**
   * Takes a file that a process moved here, or names, as an image whose bytes are all in its own
   * file. Where it cannot be an image its checkpoint lacks it. Empty also for a file that its
   * process has just entered.
   */
  Optional<Image> arrived(final Attachment mover, final ImageKey key, final String path)
      throws PosixException {
    look(key);
    try {
      return files.registry().find(key) == null ? take(mover, key, path) : Optional.empty();
    } finally {
      close(key);
    }
  }

  private Optional<Image> take(final Attachment mover, final ImageKey key, final String path)
      throws PosixException {
    final int direct =
        RequestDescriptor.OPEN_DIRECT
            | Reason.OTHER.ordinal() << RequestDescriptor.OPEN_REASON_SHIFT;
    try {
      final Image image = admit(mover, key, path, direct, Reason.NONE);
      openings.arrived(mover, image);
      return Optional.of(image);
    } catch (final NotCapturedException e) {
      lacks(key, path, e.reason());
      checkpoints.explicit().lacks(mover.writer(), path, e.getMessage());
      leave(key, path, e.reason(), e.getMessage());
      return Optional.empty();
    }
  }

  /**
   * Returns whether a file may be new on another node. Where nodes share a file one of them creates
   * it, and to all others it is there.
   */
  private boolean mayBeNewOnOtherNode(final Attachment opener, final Request.Open request) {
    return has(request, RequestDescriptor.OPEN_WRITE)
        && files.shared().mayHave(request.path(), opener.writer(), isMpi(request.flags()));
  }

  private Reply.Opened leaveExisting(
      final Attachment opener, final Request.Open request, final ImageKey key) {
    if (has(request, RequestDescriptor.OPEN_WRITE)) {
      statistics.leftPlain(key, Reason.EXISTING);
      if (checkpoints.groups().exist() || checkpoints.explicit().areUnderWay()) {
        path(request.path(), key).ifPresent(path -> existing(opener, key, path));
      }
    }
    return Openings.plain(Reason.EXISTING);
  }

  private void existing(final Attachment opener, final ImageKey key, final String path) {
    if (checkpoints.groups().exist()) {
      lacks(key, path, Reason.EXISTING);
    }
    checkpoints.explicit().existing(opener.writer(), key, path);
  }

  private void lacks(final ImageKey key, final String path, final Reason reason) {
    checkpoints.groups().lacks(key, path, reason);
  }

  /**
   * Returns the path of a file. Where the kernel does not tell the process, it is searched for, if
   * it is in here at all.
   */
  Optional<String> path(final String told, final ImageKey key) {
    return told.isEmpty() ? files.capture().find(key) : Optional.of(told);
  }

  /** Leaves a file plain, as there is no descriptor for it and none is going to be. */
  Reply leave(final Request.Open request, final PosixException want) {
    final ImageKey key = new ImageKey(request.device(), request.inode());
    path(request.path(), key).ifPresent(path -> lacks(key, path, Reason.TOO_MANY));
    return leave(key, request.path(), Reason.TOO_MANY, want.getMessage());
  }

  /** Leaves a file plain: it is written as without Sluice. */
  private Reply.Opened leave(
      final ImageKey key, final String path, final Reason reason, final String why) {
    if (statistics.leftPlain(key, reason) && reason != Reason.ELSEWHERE) {
      Warnings.warn(
          "%s is not captured, nor are others like it: %s; they are written as without Sluice"
              .formatted(path, why));
    }
    return Openings.plain(reason);
  }

  /**
   * Makes a file an image. Nobody would hear of its close from a ring that is damaged.
   *
   * @param opened reason why it must not be diverted, as far as openings tell; NONE when it may be
   */
  private Image admit(
      final Attachment opener,
      final ImageKey key,
      final String path,
      final int flags,
      final Reason opened)
      throws NotCapturedException, PosixException {
    if (opener.isCorrupt()) {
      throw new NotCapturedException(
          Reason.UNATTACHED, "the ring of %s is damaged".formatted(opener));
    }
    checkpoints.resting().checkRoom();
    final NativeFile file = files.capture().open(key, path);
    final boolean others = files.shared().has(file, opener.writer(), isMpi(flags));
    final Reason asked = reason(opener, flags, others);
    final Reason reason = asked == Reason.NONE ? opened : asked;
    if (reason == Reason.NONE) {
      final Image image = files.registry().admit(file, ImageDescriptor.STATE_DIVERTED);
      if ((flags & RequestDescriptor.OPEN_GROWN) != 0) {
        image.size(file.status().size());
      }
      return image;
    }
    if (reason == Reason.NODES) {
      files.shared().count();
    }
    final Image image = files.registry().admit(file, ImageDescriptor.STATE_DIRECT);
    image.reason(reason);
    return image;
  }
}
