package org.sluice.iop.service;

import java.io.IOException;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.segment.Header;

/**
 * The sync of files that no process announces, as those that stay small. The kernel alone knows
 * them, and is asked once for all. The kernel reports the loss of a page to processes that had the
 * file system open before. Others hear of it only if no process has yet.
 */
public final class SmallFileSync implements AutoCloseable {
  private final Header header;
  private NativeFile capture;

  /** Begins to count on the kernel. A file system without small files can be unmounted. */
  public SmallFileSync(final Header header) {
    this.header = header;
    if (header.small() != 0 && !header.capture().isEmpty()) {
      try {
        capture = NativeFile.open(header.capture());
      } catch (final PosixException e) {
        capture = null; // the end opens it, and says why it cannot
      }
    }
  }

  void sync() throws IOException {
    if (header.plainBytes() > 0) {
      if (capture == null) {
        capture = NativeFile.open(header.capture());
      }
      capture.syncFileSystem();
    }
  }

  @Override
  public void close() throws IOException {
    if (capture != null) {
      capture.close();
    }
  }
}
