package org.sluice.core.posix;

import java.lang.foreign.Arena;

/** Watches on files: a reader of the group's events learns that one was opened. Any thread. */
public final class Inotify extends Descriptor {
  /**
   * A group without watches.
   *
   * @throws PosixException when the user has too many groups
   */
  public Inotify() throws PosixException {
    super("ask the kernel to tell of opens", LibC.inotifyInit(LibC.IN_CLOEXEC | LibC.IN_NONBLOCK));
  }

  /**
   * Watches a file.
   *
   * @param file an open file
   * @return the watch, which events name
   * @throws PosixException when the user has too many watches
   */
  public int watch(final NativeFile file) throws PosixException {
    try (Arena arena = Arena.ofConfined()) {
      final String path = file.procPath().toString();
      final int watch = LibC.inotifyAddWatch(number, arena.allocateFrom(path), LibC.IN_OPEN);
      if (watch < 0) {
        throw new PosixException("learn of opens of " + file.opened(), LibC.errno());
      }
      return watch;
    }
  }

  /**
   * Watches a file no longer. One that was deleted is not watched any more.
   *
   * @param watch what {@link #watch} returned
   */
  public void unwatch(final int watch) {
    LibC.inotifyRemoveWatch(number, watch);
  }
}
