package org.sluice.iop.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import org.sluice.core.posix.NativeFile;

/**
 * What identifies an image, whatever it is called.
 *
 * @param device {@code major << 32 | minor}
 * @param inode inode number
 */
public record ImageKey(long device, long inode) {
  /**
   * What identifies an open file.
   *
   * @param file an open file
   * @return its key
   */
  public static ImageKey of(final NativeFile file) {
    return new ImageKey(file.device(), file.inode());
  }

  /**
   * What identifies a file.
   *
   * @param path a name of it; a symbolic link is not followed
   * @return its key
   * @throws IOException when there is nothing of that name
   */
  public static ImageKey of(final Path path) throws IOException {
    return status(path, LinkOption.NOFOLLOW_LINKS);
  }

  /**
   * What identifies the file that a path leads to, through symbolic links and descriptors in {@code
   * /proc}.
   *
   * @param path any path
   * @return its key
   * @throws IOException when it leads to nothing
   */
  public static ImageKey behind(final Path path) throws IOException {
    return status(path);
  }

  private static ImageKey status(final Path path, final LinkOption... options) throws IOException {
    final Map<String, Object> status = Files.readAttributes(path, "unix:ino,dev", options);
    return new ImageKey(device((long) status.get("dev")), (long) status.get("ino"));
  }

  /**
   * Whether a name is a name of this file.
   *
   * @param path any path; a symbolic link is not followed
   * @return false also when there is nothing of that name
   */
  public boolean isAt(final Path path) {
    try {
      return equals(of(path));
    } catch (final IOException nothingThere) {
      return false;
    }
  }

  /** Decodes a device number of the C library. */
  private static long device(final long encoded) {
    final long major = encoded >>> 8 & 0xfff | encoded >>> 32 & ~0xfffL;
    final long minor = encoded & 0xff | encoded >>> 12 & 0xffffff00L;
    return major << 32 | minor;
  }
}
