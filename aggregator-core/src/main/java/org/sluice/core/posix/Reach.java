package org.sluice.core.posix;

import java.lang.foreign.Arena;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.LibC;
import org.sluice.core.libc.PosixException;

/**
 * A path as system calls take it: a directory, and a name from there. A path that is too long for a
 * call is reached in steps. Not thread-safe.
 */
final class Reach implements AutoCloseable {
  private static final int DIRECTORY_ONLY = LibC.O_PATH | LibC.O_CLOEXEC | LibC.O_DIRECTORY;

  private final Arena arena = Arena.ofConfined();
  private int directory = LibC.AT_FDCWD;
  private String rest;

  private Reach(final String path) {
    rest = path;
  }

  /** The caller closes the result. */
  static Reach of(final String path) throws PosixException {
    final Reach reach = new Reach(path);
    try {
      while (FileName.length(reach.rest) >= FileName.LONGEST) {
        reach.step(path);
      }
      return reach;
    } catch (final PosixException e) {
      reach.close();
      throw e;
    }
  }

  /** Steps into the last directory that a call can reach. */
  private void step(final String path) throws PosixException {
    int end = rest.lastIndexOf('/', FileName.LONGEST - 1);
    while (end > 0 && FileName.length(rest.substring(0, end)) >= FileName.LONGEST) {
      end = rest.lastIndexOf('/', end - 1);
    }
    if (end <= 0) {
      throw new PosixException("use " + path, Errno.ENAMETOOLONG);
    }
    final long name = FileName.inC(arena, rest.substring(0, end));
    final long next = LibC.OPENAT.uninterrupted(directory, name, DIRECTORY_ONLY, 0);
    LibC.check(next, "reach " + path);
    leave();
    directory = (int) next;
    rest = rest.substring(end + 1);
  }

  /** The directory for calls whose names end in {@code at}. */
  int directory() {
    return directory;
  }

  /** The address of the name, valid until this is closed. */
  long name() throws PosixException {
    return FileName.inC(arena, rest);
  }

  private void leave() {
    if (directory != LibC.AT_FDCWD) {
      LibC.CLOSE.call(directory);
    }
  }

  @Override
  public void close() {
    leave();
    arena.close();
  }
}
