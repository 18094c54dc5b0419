package org.sluice.core.posix;

import org.sluice.core.libc.PosixException;

/**
 * The identity of a file among all files, also among later ones that got its inode number.
 *
 * @param device {@code major << 32 | minor}
 * @param born the file's time of creation, in nanoseconds since 1970; 0 where the file system does
 *     not know
 */
public record FileIdentity(long device, long inode, long born) {
  // As in FileStatus: the JVM would link these anew at each start.

  @Override
  public boolean equals(final Object other) {
    return other instanceof final FileIdentity identity
        && identity.device == device
        && identity.inode == inode
        && identity.born == born;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(device) * 31 + Long.hashCode(inode);
  }

  /**
   * Tells whether a name is a name of this file. Opens nothing.
   *
   * @param path any path, see {@link FileName}; a symbolic link is not followed
   * @return false also when there is nothing of that name
   */
  public boolean isAt(final String path) {
    try {
      return equals(FileStatus.of(path).identity());
    } catch (final PosixException nothingThere) {
      return false;
    }
  }
}
