package org.sluice.iop.outside;

import org.agrona.CloseHelper;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.process.Fanotify;
import org.sluice.core.process.Inotify;

/**
 * The kernel's events for opens of files.
 *
 * @param group a {@link Fanotify} or an {@link Inotify}; the caller closes it
 */
public record OpenEvents(AutoCloseable group, String means) implements AutoCloseable {
  /** Returns the best kind of events that the kernel allows this process. */
  public static OpenEvents best() throws PosixException {
    try {
      return new OpenEvents(new Fanotify(), "fanotify");
    } catch (final PosixException e) {
      return new OpenEvents(
          new Inotify(),
          "leases, and inotify while a file is open: fanotify is not permitted (%s)"
              .formatted(Errno.describe(e.errno())));
    }
  }

  public boolean asks() {
    return group instanceof Fanotify;
  }

  @Override
  public void close() {
    CloseHelper.close(group);
  }
}
