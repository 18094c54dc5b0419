package org.sluice.core.process;

import java.lang.foreign.Arena;
import org.sluice.core.libc.LibC;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.Descriptor;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.NativeFile;

/** Watches on files: a reader of the group's events learns that one was opened. Any thread. */
public final class Inotify extends Descriptor {
  /**
   * A group without watches.
   *
   * @throws PosixException when the user has too many groups
   */
  public Inotify() throws PosixException {
    super(
        "ask the kernel to tell of opens",
        LibC.INOTIFY_INIT1.call(LibC.IN_CLOEXEC | LibC.IN_NONBLOCK));
  }

  /**
   * @return the watch, which events name
   * @throws PosixException when the user has too many watches
   */
  public int watch(final NativeFile file) throws PosixException {
    try (Arena arena = Arena.ofConfined()) {
      final long path = FileName.inC(arena, file.procPath());
      final long watch = LibC.INOTIFY_ADD_WATCH.call(number, path, LibC.IN_OPEN);
      return (int) LibC.check(watch, "learn of opens of " + file.opened());
    }
  }

  /** A deleted file is not watched any more. */
  public void unwatch(final int watch) {
    LibC.INOTIFY_RM_WATCH.call(number, watch);
  }
}
