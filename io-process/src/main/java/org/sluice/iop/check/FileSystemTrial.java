package org.sluice.iop.check;

import static org.sluice.core.command.SizeConverter.format;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.fault.Fault;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.Entropy;
import org.sluice.core.posix.Extent;
import org.sluice.core.posix.FreeSpace;
import org.sluice.core.posix.Mount;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.store.directory.StorePlace;

/** The attempts that are the same for every file system, whatever its use. */
final class FileSystemTrial {
  static final int BLOCK = 4096;

  private static final int HOLE = 1 << 20;
  private static final int INSIDE = HOLE / 2;
  private static final long FEW_FILES = 1000;

  private FileSystemTrial() {}

  /**
   * Returns a hidden name that no file has. The process in it tells whose file it is, should that
   * be killed.
   */
  static String name() {
    return "%s%d-%016x"
        .formatted(StorePlace.TRIAL, ProcessHandle.current().pid(), Entropy.nextLong());
  }

  static int errno(final Fault.Step<PosixException> step) {
    try {
      step.run();
      return 0;
    } catch (final PosixException e) {
      return e.errno();
    }
  }

  /** Writes a few bytes, from an address that any file system takes. */
  static void write(final NativeFile file, final int length, final long offset)
      throws PosixException {
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment memory = arena.allocate(BLOCK, BLOCK);
      memory.fill((byte) 1); // no file system makes a hole of such bytes
      file.pwrite(memory.address(), length, offset);
    }
  }

  /** Returns the name by which a user knows the file system. */
  static String mounted(final NativeFile directory) throws IOException {
    final String mounted = Mount.holding(Path.of(directory.procPath()));
    return mounted.isEmpty() ? directory.room().fileSystem() : mounted;
  }

  static void room(final Section section, final NativeFile directory, final long buffer)
      throws IOException {
    final FreeSpace room = directory.room();
    final String free =
        "%s and %s are free"
            .formatted(
                room.free() == Long.MAX_VALUE ? "any number of bytes" : format(room.free()),
                (room.files() == Long.MAX_VALUE ? "any number of" : room.files()) + " files");
    if (room.free() < BLOCK || room.files() == 0) {
      section.stop("room", ExitStatus.NO_ROOM, free, "free some, or take another directory");
    } else if (room.free() < buffer) {
      section.limited(
          "room",
          free,
          "a full buffer alone takes %s: a write or a close fails with ENOSPC when there is no more"
              .formatted(format(buffer)));
    } else if (room.files() < FEW_FILES) {
      section.limited(
          "room",
          free,
          "each captured file takes one, and each checkpoint some; delete what nobody needs");
    } else {
      section.yes("room", free);
    }
  }

  /** Checks whether the file system tells holes of a file, and when the file was created. */
  static void holesAndBirthTime(final Section section, final NativeFile file)
      throws PosixException {
    write(file, BLOCK, HOLE);
    try {
      holes(section, file.dataExtents());
    } catch (final PosixException e) {
      section.stop("holes", e);
    }
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

  private static void holes(final Section section, final List<Extent> data) {
    if (data.stream().noneMatch(each -> each.offset() <= INSIDE && INSIDE < each.end())) {
      section.yes("holes", "SEEK_DATA tells holes of files");
    } else {
      section.limited(
          "holes",
          "SEEK_DATA says that all is data",
          "a commit reads holes of files as zeros, which takes longer where files are sparse");
    }
  }
}
