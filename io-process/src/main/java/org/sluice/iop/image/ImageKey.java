package org.sluice.iop.image;

import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.posix.NativeFile;

/**
 * The key of an image, whatever its name.
 *
 * @param device {@code major << 32 | minor}
 */
public record ImageKey(long device, long inode) {
  public static ImageKey of(final NativeFile file) {
    return new ImageKey(file.device(), file.inode());
  }

  /**
   * @param path a name of it; a symbolic link is not followed
   */
  public static ImageKey of(final String path) throws PosixException {
    return of(FileStatus.of(path));
  }

  /**
   * Returns the key of the file that a path leads to, through symbolic links and descriptors in
   * {@code /proc}.
   */
  public static ImageKey behind(final String path) throws PosixException {
    return of(FileStatus.behind(path));
  }

  /**
   * Returns whether a path leads to this file, through symbolic links and descriptors in {@code
   * /proc}.
   */
  boolean isBehind(final String path) {
    try {
      return equals(behind(path));
    } catch (final PosixException nothingThere) {
      return false;
    }
  }

  // These methods are written out, as the JVM links those of a record anew at each start, which
  // takes milliseconds.

  @Override
  public boolean equals(final Object other) {
    return other instanceof final ImageKey key && key.device == device && key.inode == inode;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(device) * 31 + Long.hashCode(inode);
  }

  private static ImageKey of(final FileStatus status) {
    return new ImageKey(status.identity().device(), status.identity().inode());
  }

  /**
   * Returns whether a name is a name of this file.
   *
   * @param path any path; a symbolic link is not followed
   */
  public boolean isAt(final String path) {
    try {
      return equals(of(path));
    } catch (final PosixException nothingThere) {
      return false;
    }
  }
}
