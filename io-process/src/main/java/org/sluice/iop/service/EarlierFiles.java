package org.sluice.iop.service;

import java.io.IOException;
import java.util.Optional;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.iop.checkpoint.CapturedFiles;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.image.Writer;
import org.sluice.iop.measure.Warnings;

/**
 * The files of an earlier run that this run writes anew. A node of that run may be taken for dead,
 * and come back with the file open. Its ranks may write to it. So may its I/O process, when it
 * learns that it is fenced and settles its uncommitted images. In the same inode such writes would
 * reach the committed bytes of this run, so a fresh file takes the name. Service thread only.
 */
final class EarlierFiles {
  private final CapturedFiles files;
  private boolean warned;

  EarlierFiles(final CapturedFiles files) {
    this.files = files;
  }

  /**
   * Puts an empty file in place of a file that a process is about to empty.
   *
   * @param path its path in the capture directory; empty when it is not there
   */
  void replace(final ImageKey key, final Optional<String> path, final Writer writer) {
    if (path.filter(there -> mayReplace(key, there, writer)).isPresent()) {
      try {
        replace(path.get());
      } catch (final IOException e) {
        warn(path.get(), e);
      }
    }
  }

  private boolean mayReplace(final ImageKey key, final String path, final Writer writer) {
    return files.capture().contains(path)
        && key.isAt(path)
        && files.shared().hasEarlier(path, writer);
  }

  private static void replace(final String path) throws IOException {
    final String temporary =
        FileName.sibling(path, ".sluice-%016x".formatted(FileStatus.of(path).identity().inode()));
    Names.delete(temporary); // left by a killed process
    try {
      try (NativeFile fresh =
          NativeFile.open(
              temporary,
              NativeFile.Flag.WRITE,
              NativeFile.Flag.CREATE,
              NativeFile.Flag.EXCLUSIVE)) {
        fresh.chmod(FileStatus.of(path).mode());
      }
      Names.rename(temporary, path);
    } catch (final IOException e) {
      Names.delete(temporary);
      throw e;
    }
  }

  private void warn(final String path, final IOException failure) {
    if (!warned) {
      warned = true;
      Warnings.warn(
          "%s stays the file of an earlier run, whose nodes may still write to it: %s"
              .formatted(path, failure.getMessage()));
    }
  }
}
