package org.sluice.iop.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.Mount;

/**
 * A tmpfs of the I/O process, mounted below its runtime directory. Like a file in {@code /dev/shm}
 * the tmpfs outlives a killed I/O process. The next one in that directory detaches it. The
 * directory's lock ensures that no other process uses it then.
 */
final class PrivateTmpfs {
  private static final String MOUNT_POINT = "pages";
  static final long HUGE_PAGE = 2L << 20;

  private static final Path MEMINFO = Path.of("/proc/meminfo");

  private PrivateTmpfs() {}

  /** Returns the bytes that can be allocated without swapping. */
  static long availableBytes() throws IOException {
    for (final String line : Files.readAllLines(MEMINFO)) {
      if (line.startsWith("MemAvailable:")) {
        return Long.parseLong(line.replaceAll("\\D", "")) << 10;
      }
    }
    throw new IOException("no MemAvailable in " + MEMINFO);
  }

  static Optional<Path> find(final Path directory, final long length) throws IOException {
    if (length > availableBytes()) {
      return Optional.empty();
    }
    final Path point = directory.resolve(MOUNT_POINT);
    Files.createDirectory(
        point, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    try {
      final long size = (length + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
      Mount.tmpfs(point, "huge=always,mode=0700,nr_inodes=8,size=" + size);
      return Optional.of(point.resolve(SegmentPlace.FILE));
    } catch (final PosixException notAllowed) {
      Files.delete(point);
      return Optional.empty();
    }
  }

  /**
   * Detaches the file systems mounted below a runtime directory. A segment may lie in the place of
   * the mount if its creator was ended by a signal.
   */
  static void remove(final Path directory) throws IOException {
    final Path point = directory.resolve(MOUNT_POINT);
    if (!Files.exists(point)) {
      return;
    }
    while (Mount.isAt(point)) {
      Mount.detach(point);
    }
    Files.deleteIfExists(point.resolve(SegmentPlace.FILE));
    Files.delete(point);
  }
}
