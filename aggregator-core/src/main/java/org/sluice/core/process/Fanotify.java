package org.sluice.core.process;

import org.sluice.core.libc.LibC;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.Descriptor;
import org.sluice.core.posix.NativeFile;

/**
 * Marks on files: a process that opens a marked one waits until a reader of the group's events
 * allows it; the event tells the thread. Once the last descriptor of the group is closed, in
 * whichever process, nobody waits any more. Any thread.
 */
public final class Fanotify extends Descriptor {
  /**
   * A group without marks.
   *
   * @throws PosixException EPERM when this process may not make others wait
   */
  public Fanotify() throws PosixException {
    super(
        "ask the kernel to let programs wait that open files",
        LibC.FANOTIFY_INIT.call(
            LibC.FAN_CLASS_CONTENT
                | LibC.FAN_CLOEXEC
                | LibC.FAN_NONBLOCK
                | LibC.FAN_UNLIMITED_QUEUE
                | LibC.FAN_UNLIMITED_MARKS
                | LibC.FAN_REPORT_TID,
            LibC.O_CLOEXEC));
  }

  /**
   * @throws PosixException when its file system does not allow it
   */
  public void mark(final NativeFile file) throws PosixException {
    LibC.check(mark(file, LibC.FAN_MARK_ADD), "have opens of %s wait".formatted(file.opened()));
  }

  /** A file that has lost its last name has no mark any more. */
  public void unmark(final NativeFile file) {
    mark(file, LibC.FAN_MARK_REMOVE);
  }

  private long mark(final NativeFile file, final int action) {
    return LibC.FANOTIFY_MARK.call(number, action, LibC.FAN_OPEN_PERM, file.descriptor);
  }
}
