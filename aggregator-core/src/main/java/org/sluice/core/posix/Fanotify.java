package org.sluice.core.posix;

/**
 * Marks on files: a process that opens a marked one waits until a reader of the group's events
 * allows it. Once the last descriptor of the group is closed, in whichever process, nobody waits
 * any more. Any thread.
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
        LibC.fanotifyInit(
            LibC.FAN_CLASS_CONTENT
                | LibC.FAN_CLOEXEC
                | LibC.FAN_NONBLOCK
                | LibC.FAN_UNLIMITED_QUEUE
                | LibC.FAN_UNLIMITED_MARKS,
            LibC.O_CLOEXEC));
  }

  /**
   * Marks a file.
   *
   * @param file an open file
   * @throws PosixException when its file system does not allow it
   */
  public void mark(final NativeFile file) throws PosixException {
    if (LibC.fanotifyMark(number, LibC.FAN_MARK_ADD, LibC.FAN_OPEN_PERM, file.descriptor) < 0) {
      throw new PosixException("have opens of %s wait".formatted(file.opened()), LibC.errno());
    }
  }

  /**
   * Takes the mark of a file back. One that has lost its last name has none any more.
   *
   * @param file an open file
   */
  public void unmark(final NativeFile file) {
    LibC.fanotifyMark(number, LibC.FAN_MARK_REMOVE, LibC.FAN_OPEN_PERM, file.descriptor);
  }
}
