package org.sluice.iop.check;

import static org.sluice.core.command.SizeConverter.format;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.Extent;
import org.sluice.core.posix.FreeSpace;
import org.sluice.core.posix.Mount;
import org.sluice.core.posix.NativeFile;

/** What every file system is asked, whatever is to lie there. */
final class PlaceChecks {
  private static final int HOLE = 1 << 20;
  private static final int INSIDE = HOLE / 2;
  private static final long FEW_FILES = 1000;

  private final Section section;

  PlaceChecks(final Section section) {
    this.section = section;
  }

  /** What a user knows the file system by. */
  static String mounted(final NativeFile directory) throws IOException {
    final String mounted = Mount.holding(Path.of(directory.procPath()));
    return mounted.isEmpty() ? directory.room().fileSystem() : mounted;
  }

  /** What it has left, against what a full buffer would bring there. */
  void room(final NativeFile directory, final long buffer) throws IOException {
    final FreeSpace room = directory.room();
    final String detail =
        (room.free() == Long.MAX_VALUE ? "any number of bytes" : format(room.free()))
            + " and "
            + (room.files() == Long.MAX_VALUE ? "any number of files" : room.files() + " files");
    if (room.free() < TrialDirectory.BLOCK || room.files() == 0) {
      section.stop(
          "room", ExitStatus.NO_ROOM, detail + " are free", "free some, or take another directory");
    } else if (room.free() < buffer) {
      section.limited(
          "room",
          detail + " are free",
          "a full buffer alone takes %s: a write or a close fails with ENOSPC when there is no more"
              .formatted(format(buffer)));
    } else if (room.files() < FEW_FILES) {
      section.limited(
          "room",
          detail + " are free",
          "each captured file takes one, and each checkpoint some; delete what nobody needs");
    } else {
      section.yes("room", detail + " are free");
    }
  }

  /** Which bytes of a file are none. */
  void holes(final NativeFile file) throws IOException {
    TrialDirectory.write(file, TrialDirectory.BLOCK, HOLE);
    final List<Extent> extents;
    try {
      extents = file.dataExtents();
    } catch (final PosixException e) {
      section.stop("holes", e);
      return;
    }
    if (extents.stream().noneMatch(each -> each.offset() <= INSIDE && INSIDE < each.end())) {
      section.yes("holes", "SEEK_DATA tells holes of files");
    } else {
      section.limited(
          "holes",
          "SEEK_DATA says that all is data",
          "a commit reads holes of files as zeros, which takes longer where files are sparse");
    }
  }

  /** What tells a file from a later one. */
  void birthTime(final NativeFile file) {
    if (file.born() != 0) {
      section.yes("birth_time", "a file is told from a later one with its inode number");
    } else {
      section.limited(
          "birth_time",
          "the file system does not know when a file was created",
          "after a kill of the I/O process, a file that was deleted meanwhile may be taken for one that has its"
              + " inode number now");
    }
  }
}
