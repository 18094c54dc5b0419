package org.sluice.core.posix;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

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
      final long name = arena.allocateFrom(path.toString()).address();
      LibC.check(LibC.MKDIR.call(name, ALL), "create the directory " + path);
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
      final long old = arena.allocateFrom(from.toString()).address();
      final long name = arena.allocateFrom(to.toString()).address();
      LibC.check(LibC.RENAME.call(old, name), "rename " + from + " to " + to);
    }
  }

  /**
   * Sets a file's time of modification to now. Neither opens it nor follows a link, so that this
   * does not wait, whatever has the name.
   *
   * @param path its name
   * @throws PosixException when that fails; {@link Errno#ENOENT} when there is nothing
   */
  public static void touch(final Path path) throws PosixException {
    try (Arena arena = Arena.ofConfined()) {
      final long name = arena.allocateFrom(path.toString()).address();
      final int now = 0; // instead of two times
      LibC.check(
          LibC.UTIMENSAT.call(LibC.AT_FDCWD, name, now, LibC.AT_SYMLINK_NOFOLLOW),
          "say that %s is in use".formatted(path));
    }
  }

  /**
   * What is in a directory. A stream of it would throw what its readers do not expect, as when it
   * is one of a process that ends meanwhile.
   *
   * @param directory its name
   * @return the paths of all that is in it, in no order
   * @throws IOException when it cannot be read to its end
   */
  public static List<Path> in(final Path directory) throws IOException {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      final List<Path> all = new ArrayList<>();
      entries.forEach(all::add);
      return all;
    } catch (final DirectoryIteratorException e) {
      throw e.getCause();
    }
  }

  /**
   * A directory and everything below it, in the order in which it can be deleted.
   *
   * @param directory its path
   * @return none when it is not there
   * @throws IOException when that fails
   */
  public static List<Path> deepestFirst(final Path directory) throws IOException {
    if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
      return List.of();
    }
    try (Stream<Path> paths = Files.walk(directory)) {
      return paths.sorted(Comparator.reverseOrder()).toList();
    } catch (final UncheckedIOException e) {
      throw e.getCause();
    }
  }
}
