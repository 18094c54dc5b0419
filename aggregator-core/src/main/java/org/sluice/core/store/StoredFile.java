package org.sluice.core.store;

import java.io.IOException;
import java.nio.file.Path;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.posix.Errno;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.posix.PosixException;

/** Files a manifest says are there. */
final class StoredFile {
  private StoredFile() {}

  /** Opens a file for reading; it is damage, not bad luck, when there is none. */
  static NativeFile open(final Path path, final Flag... flags) throws IOException {
    try {
      return NativeFile.open(path, flags);
    } catch (final PosixException e) {
      if (e.errno() == Errno.ENOENT) {
        throw new DamagedException(path.toString(), 0, "the file is missing");
      }
      throw e;
    }
  }

  /** Reads what the storage gives; bytes that it does not give any more are damage. */
  static long read(final NativeFile file, final long address, final long length, final long offset)
      throws IOException {
    try {
      return file.pread(address, length, offset);
    } catch (final PosixException e) {
      if (e.errno() == Errno.EIO) {
        throw new DamagedException(file.opened().toString(), offset, "it cannot be read: EIO");
      }
      throw e;
    }
  }

  /** Opens one past the page cache where the file system lets one. */
  static NativeFile openDirect(final Path path) throws IOException {
    try {
      return open(path, Flag.DIRECT);
    } catch (final PosixException e) {
      if (e.errno() != Errno.EINVAL) {
        throw e;
      }
      return open(path);
    }
  }
}
