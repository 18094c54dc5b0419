package org.sluice.core.posix;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.LibC;
import org.sluice.core.libc.PosixException;

/** The mounted file systems, and the mounting of one in memory. Thread-safe. */
public final class Mount {
  private static final Path MOUNTS = Path.of("/proc/self/mountinfo");

  private Mount() {}

  /**
   * Mounts a tmpfs that holds no programs and no devices.
   *
   * @param options as mount(8) takes them after {@code -o}
   * @throws PosixException when that fails; {@link Errno#EPERM} without {@code CAP_SYS_ADMIN}
   */
  public static void tmpfs(final Path directory, final String options) throws PosixException {
    try (Arena arena = Arena.ofConfined()) {
      LibC.check(
          LibC.MOUNT.call(
              FileName.inC(arena, "sluice"),
              FileName.inC(arena, directory.toString()),
              FileName.inC(arena, "tmpfs"),
              LibC.MS_NOSUID | LibC.MS_NODEV | LibC.MS_NOEXEC,
              FileName.inC(arena, options)),
          "mount tmpfs at " + directory);
    }
  }

  /**
   * Tells whether a file system is mounted at a directory; a bind mount of the same one does not
   * count.
   */
  public static boolean isAt(final Path directory) throws PosixException {
    return device(directory) != device(directory.resolve(".."));
  }

  private static long device(final Path directory) throws PosixException {
    try (NativeFile file = NativeFile.open(directory, NativeFile.Flag.DIRECTORY)) {
      return file.device();
    }
  }

  /**
   * A process that has files of it open or mapped keeps them; their memory is freed with the last
   * of them.
   */
  public static void detach(final Path directory) throws PosixException {
    try (Arena arena = Arena.ofConfined()) {
      final long name = FileName.inC(arena, directory.toString());
      LibC.check(LibC.UMOUNT2.call(name, LibC.MNT_DETACH), "unmount " + directory);
    }
  }

  /**
   * Returns type and source of the file system of a file, such as {@code fuse.glusterfs
   * server:/volume}, the same from one mount to the next; empty where the table of mounts does not
   * have it.
   */
  public static String holding(final Path path) throws IOException {
    final String device;
    try (NativeFile file = NativeFile.open(path)) {
      device = (file.device() >>> Integer.SIZE) + ":" + (int) file.device();
    }
    // ID PARENT MAJOR:MINOR ROOT PLACE OPTIONS [TAG]... - TYPE SOURCE OPTIONS
    for (final String line : Files.readAllLines(MOUNTS, StandardCharsets.ISO_8859_1)) {
      final String[] sides = line.split(" - ", 2);
      if (sides[0].split(" ")[2].equals(device)) {
        final String[] mounted = sides[1].split(" ");
        return mounted[0] + " " + mounted[1];
      }
    }
    return "";
  }
}
