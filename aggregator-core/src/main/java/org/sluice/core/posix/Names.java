package org.sluice.core.posix;

import java.lang.foreign.Arena;
import java.nio.file.Path;

/** Names of files. Unlike {@link java.nio.file.Files} these tell the errno of a failure. */
public final class Names {
  private static final int ALL = 0777;

  private Names() {}

  /**
   * Makes a directory, with every permission that the umask leaves.
   *
   * @param path its name
   * @throws PosixException when that fails; {@link Errno#EEXIST} when there is something
   */
  public static void createDirectory(final Path path) throws PosixException {
    try (Arena arena = Arena.ofConfined()) {
      if (LibC.mkdir(arena.allocateFrom(path.toString()), ALL) < 0) {
        throw new PosixException("create the directory " + path, LibC.errno());
      }
    }
  }

  /**
   * Gives a file another name, in one step, in the place of a file that has it.
   *
   * @param from its name
   * @param to another one on the same file system
   * @throws PosixException when that fails
   */
  public static void rename(final Path from, final Path to) throws PosixException {
    try (Arena arena = Arena.ofConfined()) {
      if (LibC.rename(arena.allocateFrom(from.toString()), arena.allocateFrom(to.toString())) < 0) {
        throw new PosixException("rename " + from + " to " + to, LibC.errno());
      }
    }
  }
}
