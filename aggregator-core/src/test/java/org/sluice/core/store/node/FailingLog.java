package org.sluice.core.store.node;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.sluice.core.fault.Fault;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.store.disk.Disk;

/** A disk on which a record is written to the commit log, and its sync fails. */
class FailingLog extends Disk {
  /** The step that takes place before each sync fails; null while all succeed. */
  private Fault.Step<IOException> failing;

  void fail(final Fault.Step<IOException> before) {
    failing = before;
  }

  void succeed() {
    failing = null;
  }

  @Override
  public NativeFile open(final Path path, final Flag... flags) throws IOException {
    return path.getParent().endsWith("log") && List.of(flags).contains(Flag.CREATE)
        ? new NativeFile(path.toString(), flags) {
          @Override
          public void sync() throws PosixException {
            if (failing != null) {
              try {
                failing.run();
              } catch (final IOException e) {
                throw new AssertionError(e);
              }
              throw new PosixException("sync " + path, Errno.EIO);
            }
            super.sync();
          }
        }
        : super.open(path, flags);
  }
}
