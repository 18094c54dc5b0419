package org.sluice.core.posix;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Instant;

/** What {@code statx} tells, since its structure is the same on every architecture. */
record FileStatus(
    long device,
    long inode,
    long born,
    long size,
    long allocated,
    FileType type,
    int mode,
    int links,
    Instant modified) {
  private static final int BLOCK = 512;

  static FileStatus of(final int descriptor, final Path opened) throws PosixException {
    return of(descriptor, "", LibC.AT_EMPTY_PATH, opened);
  }

  /** Of what has a name, not of what a symbolic link of that name leads to. */
  static FileStatus of(final Path path) throws PosixException {
    return of(LibC.AT_FDCWD, path.toString(), LibC.AT_SYMLINK_NOFOLLOW, path);
  }

  private static FileStatus of(
      final int directory, final String name, final int flags, final Path called)
      throws PosixException {
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment status = arena.allocate(LibC.STATX_LENGTH, Long.BYTES);
      final int fields = LibC.STATX_BASIC_STATS | LibC.STATX_BTIME;
      final long path = arena.allocateFrom(name).address();
      if (LibC.STATX.call(directory, path, flags, fields, status.address()) < 0) {
        throw new PosixException("stat " + called, LibC.errno());
      }
      return new FileStatus(
          device(status),
          status.get(JAVA_LONG, 32),
          born(status),
          status.get(JAVA_LONG, 40),
          Math.min(status.get(JAVA_LONG, 40), status.get(JAVA_LONG, 48) * BLOCK),
          FileType.of(status.get(JAVA_SHORT, 28)),
          status.get(JAVA_SHORT, 28) & 07777,
          status.get(JAVA_INT, 16),
          Instant.ofEpochSecond(status.get(JAVA_LONG, 112), status.get(JAVA_INT, 120)));
    }
  }

  private static long device(final MemorySegment status) {
    return (long) status.get(JAVA_INT, 136) << 32
        | Integer.toUnsignedLong(status.get(JAVA_INT, 140));
  }

  private static long born(final MemorySegment status) {
    return (status.get(JAVA_INT, 0) & LibC.STATX_BTIME) == 0
        ? 0
        : status.get(JAVA_LONG, 80) * 1_000_000_000 + status.get(JAVA_INT, 88);
  }
}
