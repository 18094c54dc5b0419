package org.sluice.iop.service;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.posix.FileTree;
import org.sluice.core.posix.FileType;
import org.sluice.core.posix.Quoting;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.request.RequestDescriptor;
import org.sluice.core.segment.Reason;
import org.sluice.iop.checkpoint.CapturedFiles;
import org.sluice.iop.drain.Caller;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.measure.Warnings;
import org.sluice.iop.trigger.Checkpoints;

/**
 * The files that processes name. By renames and links: files of a checkpoint may be written outside
 * the capture directory, and moved here when they are whole. From then on they are images whose
 * bytes are all in their own files. Service thread only.
 */
public final class Arrivals {
  private final CapturedFiles files;
  private final Checkpoints checkpoints;
  private final Admissions admissions;
  private final OutsideOpens outsideOpens;
  private final Attachments attachments;

  public Arrivals(
      final CapturedFiles files,
      final Checkpoints checkpoints,
      final Admissions admissions,
      final OutsideOpens outsideOpens,
      final Attachments attachments) {
    this.files = files;
    this.checkpoints = checkpoints;
    this.admissions = admissions;
    this.outsideOpens = outsideOpens;
    this.attachments = attachments;
  }

  /**
   * Takes a move. The answer comes when all arrived files are images: the process goes on to write
   * a marker, perhaps.
   */
  void moved(final Attachment mover, final Request.Replace request, final Caller caller) {
    checkpoints
        .groups()
        .names()
        .moved(new ImageKey(request.device(), request.inode()), request.path());
    final boolean arrived = (request.flags() & RequestDescriptor.REPLACE_ARRIVED) != 0;
    if (files.capture().contains(request.path())
        && (arrived && (checkpoints.mayExist() || checkpoints.explicit().areUnderWay())
            || checkpoints.explicit().isExpected(request.path()))) {
      arrived(mover, request.path())
          .forEach(
              (path, key) ->
                  checkpoints
                      .resting()
                      .whenRoom(() -> isThere(mover), () -> take(mover, key, path)));
    }
    checkpoints.resting().whenRoom(() -> true, () -> caller.answer(new Reply.Done()));
  }

  /** Adds a file to the checkpoint that a process fills. */
  void add(final Attachment asker, final Request.Add request, final Caller caller) {
    attachments.poll();
    final Optional<Reply> obstacle =
        checkpoints.explicit().obstacle(request.checkpoint(), asker.writer());
    final String path = request.path();
    if (obstacle.isPresent()) {
      caller.answer(obstacle.get());
    } else if (files.capture().path() == null || !files.capture().contains(path)) {
      caller.answer(refused(Errno.EINVAL, path, "it is not in the capture directory"));
    } else {
      checkpoints
          .resting()
          .whenRoom(() -> isThere(asker), () -> caller.answer(add(asker, request)));
    }
  }

  private Reply add(final Attachment asker, final Request.Add request) {
    final String path = request.path();
    final String name = files.capture().relative(path);
    final long number = request.checkpoint();
    try {
      final FileStatus status = FileStatus.of(path);
      if (status.type() != FileType.REGULAR) {
        final boolean directory = status.type() == FileType.DIRECTORY;
        return refused(
            directory ? Errno.EISDIR : Errno.EINVAL,
            path,
            directory ? "it is a directory; add each of its files" : "it is no file");
      }
      final ImageKey key = new ImageKey(status.identity().device(), status.identity().inode());
      if (files.registry().find(key) == null && attachments.isUnderShim(asker.process().pid())) {
        take(asker, key, path);
      }
      final Image image = files.registry().find(key);
      return image == null
          ? new Reply.Text(name)
          : checkpoints.explicit().add(image, number, asker.writer());
    } catch (final PosixException e) {
      return e.errno() == Errno.ENOENT && attachments.isUnderShim(asker.process().pid())
          ? checkpoints.explicit().expect(name, number, asker.writer())
          : new Reply.Failed(e.errno(), e.getMessage());
    }
  }

  private static Reply refused(final int errno, final String path, final String why) {
    return new Reply.Failed(
        errno, "%s cannot be of a checkpoint: %s".formatted(Quoting.name(path), why));
  }

  private boolean isThere(final Attachment mover) {
    return attachments.at(mover.index()) == mover;
  }

  /** Returns the arrived files that a checkpoint has. Others stay as they are, in their places. */
  private Map<String, ImageKey> arrived(final Attachment mover, final String path) {
    final Map<String, ImageKey> arrived = new LinkedHashMap<>();
    try {
      final FileStatus status = FileStatus.of(path);
      if (status.type() == FileType.DIRECTORY) {
        FileTree.walk(
            path,
            files.capture()::contains,
            (name, device, inode) -> arrived.put(name, new ImageKey(device, inode)));
      } else if (status.type() == FileType.REGULAR) {
        arrived.put(path, new ImageKey(status.identity().device(), status.identity().inode()));
      }
    } catch (final PosixException e) {
      Warnings.warn("what was moved to %s is in no checkpoint: %s".formatted(path, e.getMessage()));
    }
    arrived
        .keySet()
        .removeIf(
            name ->
                checkpoints.groups().names().number(name).isEmpty()
                    && !checkpoints.explicit().takes(mover.writer(), name));
    return arrived;
  }

  private void take(final Attachment mover, final ImageKey key, final String path) {
    final Image known = files.registry().find(key);
    if (known != null) {
      checkpoints.explicit().arrivedAgain(known, mover.writer());
      return;
    }
    try {
      admissions.arrived(mover, key, path).ifPresent(outsideOpens::arrived);
    } catch (final PosixException e) {
      checkpoints.groups().lacks(key, path, Reason.TOO_MANY);
    }
  }
}
