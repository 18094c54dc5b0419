package org.sluice.core.posix;

import java.lang.foreign.Arena;
import java.time.Instant;
import org.sluice.core.libc.LibC;
import org.sluice.core.libc.NativeStruct;
import org.sluice.core.libc.PosixException;

/**
 * The answer of {@code statx}, whose structure is the same on every architecture.
 *
 * @param identity the file's identity among all files
 * @param size in bytes
 * @param allocated the bytes of the size that are not holes
 * @param mode the low 12 bits
 */
public record FileStatus(
    FileIdentity identity,
    long size,
    long allocated,
    FileType type,
    int mode,
    int links,
    Instant modified) {
  private static final int BLOCK = 512;

  // The methods of a record, written out: the JVM links its own anew at each start, which takes
  // milliseconds.

  @Override
  public boolean equals(final Object other) {
    return other instanceof final FileStatus status
        && status.identity.equals(identity)
        && status.size == size
        && status.allocated == allocated
        && status.type == type
        && status.mode == mode
        && status.links == links
        && status.modified.equals(modified);
  }

  @Override
  public int hashCode() {
    return identity.hashCode();
  }

  static FileStatus of(final int descriptor, final String opened) throws PosixException {
    try (Arena arena = Arena.ofConfined()) {
      return of(descriptor, FileName.inC(arena, ""), LibC.AT_EMPTY_PATH, opened);
    }
  }

  private static FileStatus of(final String path, final int flags) throws PosixException {
    try (Reach reach = Reach.of(path)) {
      return of(reach.directory(), reach.name(), flags, path);
    }
  }

  /** The status of the thing with a name; a symbolic link is not followed. */
  public static FileStatus of(final String path) throws PosixException {
    return of(path, LibC.AT_SYMLINK_NOFOLLOW);
  }

  /**
   * The status of the thing that a path leads to, through symbolic links and descriptors in {@code
   * /proc}.
   */
  public static FileStatus behind(final String path) throws PosixException {
    return of(path, 0);
  }

  /** The status of the thing with a name in an open directory. */
  static FileStatus in(final HeldInode directory, final String name) throws PosixException {
    final String called = FileName.resolve(directory.opened(), name);
    try (Arena arena = Arena.ofConfined()) {
      final long path = FileName.inC(arena, name);
      return of(directory.descriptor, path, LibC.AT_SYMLINK_NOFOLLOW, called);
    }
  }

  private static FileStatus of(
      final int directory, final long path, final int flags, final String called)
      throws PosixException {
    try (Arena arena = Arena.ofConfined()) {
      final NativeStruct status = new NativeStruct(arena, LibC.STATX_LENGTH);
      final int fields = LibC.STATX_BASIC_STATS | LibC.STATX_BTIME;
      final long result = LibC.STATX.call(directory, path, flags, fields, status.address());
      if (result < 0) {
        throw new PosixException("stat " + called, (int) -result);
      }
      return new FileStatus(
          new FileIdentity(device(status), status.getLong(32), born(status)),
          status.getLong(40),
          Math.min(status.getLong(40), status.getLong(48) * BLOCK),
          FileType.of(status.getShort(28)),
          status.getShort(28) & 07777,
          status.getInt(16),
          Instant.ofEpochSecond(status.getLong(112), status.getInt(120)));
    }
  }

  private static long device(final NativeStruct status) {
    return (long) status.getInt(136) << 32 | Integer.toUnsignedLong(status.getInt(140));
  }

  private static long born(final NativeStruct status) {
    return (status.getInt(0) & LibC.STATX_BTIME) == 0
        ? 0
        : status.getLong(80) * 1_000_000_000 + status.getInt(88);
  }
}
