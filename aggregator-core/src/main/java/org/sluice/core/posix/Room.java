package org.sluice.core.posix;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * What {@code fstatvfs} tells of the file system that a file lies on. Java's {@code FileStore}
 * looks the file up in the table of mounts, which lacks it below a root that is no mount point.
 *
 * @param block bytes in which the file system counts
 * @param free bytes that it has left for this user; the greatest number where it has no limit
 */
public record Room(long block, long free) {
  static Room of(final int descriptor, final Path opened) throws PosixException {
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment status = arena.allocate(LibC.STATVFS_LENGTH, Long.BYTES);
      if (LibC.fstatvfs(descriptor, status) < 0) {
        throw new PosixException("ask for the file system of " + opened, LibC.errno());
      }
      final long block = status.get(JAVA_LONG, 8);
      // A tmpfs without a limit says that it has no blocks.
      final boolean limited = status.get(JAVA_LONG, 16) > 0;
      return new Room(block, limited ? block * status.get(JAVA_LONG, 32) : Long.MAX_VALUE);
    }
  }
}
