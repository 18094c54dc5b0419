package org.sluice.core.posix;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.LibC;
import org.sluice.core.libc.NativeStruct;
import org.sluice.core.libc.PosixException;

/**
 * Names of files. Unlike {@link java.nio.file.Files} these tell the errno of a failure, and take
 * any name that the kernel does, see {@link FileName}, and paths of any length.
 */
public final class Names {
  private static final int ALL = 0777;

  private Names() {}

  /**
   * Makes a directory, with every permission that the umask leaves.
   *
   * @throws PosixException when that fails; {@link Errno#EEXIST} when there is something
   */
  public static void createDirectory(final String path) throws PosixException {
    try (Reach reach = Reach.of(path)) {
      LibC.check(
          LibC.MKDIRAT.call(reach.directory(), reach.name(), ALL), "create the directory " + path);
    }
  }

  /** Gives a file another name, in one step, in the place of a file that has it. */
  public static void rename(final String from, final String to) throws PosixException {
    rename(from, to, 0);
  }

  /**
   * Gives a file another name, in one step, unless something has it.
   *
   * @throws PosixException when that fails; {@link Errno#EEXIST} when something has the name
   */
  public static void renameToNew(final String from, final String to) throws PosixException {
    try {
      rename(from, to, LibC.RENAME_NOREPLACE);
    } catch (final PosixException e) {
      e.throwUnless(Errno.EINVAL); // the file system knows of no such renames
      if (exists(to)) {
        throw new PosixException("rename " + from + " to " + to, Errno.EEXIST);
      }
      rename(from, to);
    }
  }

  /**
   * Gives two files each other's name, in one step.
   *
   * @throws PosixException when that fails; {@code EINVAL} where the file system cannot
   */
  public static void exchange(final String one, final String other) throws PosixException {
    rename(one, other, LibC.RENAME_EXCHANGE);
  }

  private static void rename(final String from, final String to, final int flags)
      throws PosixException {
    try (Reach old = Reach.of(from);
        Reach name = Reach.of(to)) {
      LibC.check(
          LibC.RENAMEAT2.call(old.directory(), old.name(), name.directory(), name.name(), flags),
          "rename " + from + " to " + to);
    }
  }

  /**
   * @param from its name; a symbolic link is not followed
   * @throws PosixException when that fails; {@link Errno#EEXIST} when something has the name
   */
  public static void link(final String from, final String to) throws PosixException {
    try (Reach old = Reach.of(from);
        Reach name = Reach.of(to)) {
      LibC.check(
          LibC.LINKAT.call(old.directory(), old.name(), name.directory(), name.name(), 0),
          "link " + to + " to " + from);
    }
  }

  /** Takes a name from a file; false when there is nothing of that name. */
  public static boolean delete(final String path) throws PosixException {
    return delete(path, 0);
  }

  /** Deletes an empty directory; false when there is nothing of that name. */
  public static boolean deleteDirectory(final String path) throws PosixException {
    return delete(path, LibC.AT_REMOVEDIR);
  }

  private static boolean delete(final String path, final int flags) throws PosixException {
    try (Reach reach = Reach.of(path)) {
      LibC.check(LibC.UNLINKAT.call(reach.directory(), reach.name(), flags), "delete " + path);
      return true;
    } catch (final PosixException e) {
      e.throwUnless(Errno.ENOENT);
      return false;
    }
  }

  /**
   * Returns whether something has a name; a symbolic link is not followed. False also when that is
   * unknown.
   */
  public static boolean exists(final String path) {
    try {
      FileStatus.of(path);
      return true;
    } catch (final PosixException nothingThere) {
      return false;
    }
  }

  /** The path of an existing thing, without symbolic links. */
  public static String real(final String path) throws PosixException {
    try (NativeFile file = NativeFile.open(path, NativeFile.Flag.LET_GO)) {
      return file.path().orElseThrow(() -> new PosixException("find " + path, Errno.ENOENT));
    }
  }

  /**
   * A path from the root, without empty names, {@code .} and {@code ..}, of a thing that need not
   * exist.
   */
  public static String absolute(final String path) throws PosixException {
    final String whole = path.startsWith("/") ? path : target("/proc/self/cwd") + "/" + path;
    final Deque<String> names = new ArrayDeque<>();
    for (final String name : whole.split("/")) {
      if (name.equals("..")) {
        names.pollLast();
      } else if (!name.isEmpty() && !name.equals(".")) {
        names.addLast(name);
      }
    }
    return "/" + String.join("/", names);
  }

  public static String target(final String link) throws PosixException {
    try (Arena arena = Arena.ofConfined()) {
      final NativeStruct target = new NativeStruct(arena, FileName.LONGEST);
      final long length =
          LibC.READLINK.call(FileName.inC(arena, link), target.address(), FileName.LONGEST);
      LibC.check(length, "read the link " + link);
      return FileName.decode(target.getBytes(0, (int) length));
    }
  }

  /**
   * Neither opens the file nor follows a link, so this does not wait, whatever has the name.
   *
   * @throws PosixException when that fails; {@link Errno#ENOENT} when there is nothing
   */
  public static void touch(final Path path) throws PosixException {
    try (Arena arena = Arena.ofConfined()) {
      final int now = 0; // instead of two times
      touch(arena, path, now, "say that %s is in use");
    }
  }

  /**
   * Opens nothing, so it waits for nobody, whatever has the name.
   *
   * @param path its name; a symbolic link is not followed
   */
  public static void touch(final Path path, final Instant time) throws PosixException {
    try (Arena arena = Arena.ofConfined()) {
      final NativeStruct times =
          new NativeStruct(arena, 4 * Long.BYTES)
              .putLong(0, time.getEpochSecond())
              .putLong(8, time.getNano())
              .putLong(16, time.getEpochSecond())
              .putLong(24, time.getNano());
      touch(arena, path, times.address(), "say that %s is not in use any more");
    }
  }

  private static void touch(
      final Arena arena, final Path path, final long times, final String purpose)
      throws PosixException {
    LibC.check(
        LibC.UTIMENSAT.call(
            LibC.AT_FDCWD, FileName.inC(arena, path.toString()), times, LibC.AT_SYMLINK_NOFOLLOW),
        purpose.formatted(path));
  }

  /**
   * A stream of it would throw exceptions that its readers do not expect, as for the directory of a
   * process that ends meanwhile.
   *
   * @return the paths of all that is in it, in no order
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

  /** Returns names in a directory, of any bytes, without {@code .} and {@code ..}, in no order. */
  public static List<String> in(final String directory, final Predicate<String> wanted)
      throws PosixException {
    final List<String> names = new ArrayList<>();
    try (NativeFile opened = NativeFile.open(directory, NativeFile.Flag.DIRECTORY);
        Listing entries = new Listing(opened)) {
      while (entries.next()) {
        final String name = entries.name();
        if (!name.equals(".") && !name.equals("..") && wanted.test(name)) {
          names.add(name);
        }
      }
    }
    return names;
  }

  /**
   * A directory and everything below it, in the order in which it can be deleted; none when it is
   * not there.
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
