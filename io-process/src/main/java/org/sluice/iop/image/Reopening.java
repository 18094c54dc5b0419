package org.sluice.iop.image;

import java.util.Optional;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileIdentity;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;

/** The reopening of images' files, which programs may have changed meanwhile. Any thread. */
public final class Reopening {
  private static final int OWNER_WRITES = 0200;

  private Reopening() {}

  /**
   * A program may have made it read-only since. Or a program has a lease on it, for which this
   * process had let it go: the kernel would wait long for that.
   *
   * @param identity identity that it is to have; another file's mode is left alone
   * @return the file, or another one that the path leads to by now; let go of if a program has a
   *     lease on it
   */
  public static NativeFile forWriting(final String path, final FileIdentity identity)
      throws PosixException {
    try {
      return NativeFile.open(path, Flag.WRITE, Flag.NO_WAIT);
    } catch (final PosixException e) {
      if (e.errno() == Errno.EAGAIN) {
        return NativeFile.open(path, Flag.LET_GO);
      }
      e.throwUnless(Errno.EACCES);
      return forWritingAnyhow(path, identity, e);
    }
  }

  /**
   * Opens a file as {@link #forWriting} does, but unseen by its watchers. Obstacles to a write
   * other than the mode, such as a running program, show at the first write.
   *
   * @param identity identity that it is to have; another file's mode is left alone
   * @return the file, or another one that the path leads to by now
   */
  public static NativeFile quietly(final String path, final FileIdentity identity)
      throws PosixException {
    try {
      return NativeFile.openQuietly(path, Flag.NO_WAIT);
    } catch (final PosixException e) {
      return forWriting(path, identity);
    }
  }

  /**
   * Opens a file that a process has just created, by one of its names.
   *
   * @param name a name that it had, or another way to it
   * @param born the low half of its time of creation, which a later file with its inode number does
   *     not have; 0 unknown
   * @return open for reading and writing; empty when the name leads elsewhere
   */
  public static Optional<NativeFile> created(final String name, final ImageKey key, final int born)
      throws PosixException {
    try {
      final NativeFile file = open(name);
      if (ImageKey.of(file).equals(key) && (born == 0 || (int) file.born() == born)) {
        return Optional.of(file);
      }
      file.close();
    } catch (final PosixException e) {
      if (e.errno() != Errno.ENOENT && key.isBehind(name)) {
        throw e;
      }
    }
    return Optional.empty();
  }

  private static NativeFile open(final String name) throws PosixException {
    try {
      return NativeFile.openQuietly(name, Flag.NO_WAIT);
    } catch (final PosixException e) {
      e.throwUnless(Errno.EACCES);
      return forWriting(name, FileStatus.behind(name).identity());
    }
  }

  private static NativeFile forWritingAnyhow(
      final String path, final FileIdentity identity, final PosixException refusal)
      throws PosixException {
    try (NativeFile readOnly = NativeFile.open(path, Flag.NO_WAIT)) {
      if (!readOnly.identity().equals(identity)) {
        throw refusal;
      }
      final int mode = readOnly.mode();
      readOnly.chmod(mode | OWNER_WRITES);
      try {
        return NativeFile.open(path, Flag.WRITE);
      } finally {
        readOnly.chmod(mode);
      }
    }
  }

  /** Opens a file for reading, also a file that its owner may not read. */
  static NativeFile forReading(final String path, final FileIdentity identity)
      throws PosixException {
    try {
      return NativeFile.open(path, Flag.NO_WAIT);
    } catch (final PosixException e) {
      e.throwUnless(Errno.EACCES);
      return forWriting(path, identity);
    }
  }
}
