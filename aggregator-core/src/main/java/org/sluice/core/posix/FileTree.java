package org.sluice.core.posix;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.sluice.core.posix.NativeFile.Flag;

/**
 * The regular files below a directory, whatever their names are and however long their paths. Of
 * what is made, renamed or deleted meanwhile any part may be seen. Not thread-safe.
 */
public final class FileTree {
  private static final int BUFFER_LENGTH = 1 << 15;
  private static final int LENGTH_OFFSET = 16;
  private static final int TYPE_OFFSET = 18;
  private static final int NAME_OFFSET = 19;
  private static final int DIRECTORY = 4;
  private static final int REGULAR = 8;
  private static final int UNKNOWN = 0;

  /** So that the stack does not run out in a tree that was made for that. */
  private static final int LONGEST = 1 << 14;

  private final Predicate<String> enters;
  private final Visitor visitor;

  /** Takes the files. */
  @FunctionalInterface
  public interface Visitor {
    /**
     * A regular file.
     *
     * @param path a path of it, see {@link FileName}; it may be longer than a system call takes
     * @param device {@code major << 32 | minor}
     * @param inode inode number
     */
    void file(String path, long device, long inode);
  }

  private FileTree(final Predicate<String> enters, final Visitor visitor) {
    this.enters = enters;
    this.visitor = visitor;
  }

  /**
   * Visits the regular files below a directory. Symbolic links are not followed.
   *
   * @param directory its path
   * @param enters whether a directory, by its path, is looked into
   * @param visitor takes the files, in no order
   * @throws PosixException when a directory cannot be read; {@link Errno#ENAMETOOLONG} for one of a
   *     path of more than 16384 characters
   */
  public static void walk(
      final String directory, final Predicate<String> enters, final Visitor visitor)
      throws PosixException {
    new FileTree(enters, visitor).visit(NativeFile.open(directory, Flag.DIRECTORY));
  }

  /** Closes the directory before those in it are opened. */
  private void visit(final NativeFile directory) throws PosixException {
    final List<String> directories;
    try (directory) {
      directories = look(directory);
    }
    for (final String path : directories) {
      enter(path);
    }
  }

  private void enter(final String path) throws PosixException {
    if (path.length() > LONGEST) {
      throw new PosixException("search " + path, Errno.ENAMETOOLONG);
    }
    final NativeFile directory;
    try {
      directory = NativeFile.open(path, Flag.DIRECTORY, Flag.NO_FOLLOW);
    } catch (final PosixException e) {
      switch (e.errno()) {
        case Errno.ENOENT, Errno.ENOTDIR, Errno.ELOOP -> {
          return; // renamed, deleted or replaced since its name was read
        }
        default -> throw e;
      }
    }
    visit(directory);
  }

  /** Visits the files in a directory, and returns the paths of the directories to look into. */
  private List<String> look(final NativeFile directory) throws PosixException {
    final List<String> directories = new ArrayList<>();
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment buffer = arena.allocate(BUFFER_LENGTH, Long.BYTES);
      while (true) {
        final long length =
            LibC.GETDENTS64.call(directory.descriptor, buffer.address(), BUFFER_LENGTH);
        LibC.check(length, "read the directory " + directory.opened());
        if (length == 0) {
          return directories;
        }
        for (long at = 0; at < length; at += buffer.get(JAVA_SHORT, at + LENGTH_OFFSET)) {
          look(directory, name(buffer, at + NAME_OFFSET), buffer.get(JAVA_BYTE, at + TYPE_OFFSET))
              .ifPresent(directories::add);
        }
      }
    }
  }

  private static String name(final MemorySegment buffer, final long begin) {
    long end = begin;
    while (buffer.get(JAVA_BYTE, end) != 0) {
      end++;
    }
    return FileName.decode(buffer.asSlice(begin, end - begin).toArray(JAVA_BYTE));
  }

  /** Visits a file; returns the path of a directory that is to be looked into. */
  private Optional<String> look(final NativeFile directory, final String name, final byte type)
      throws PosixException {
    if (type != REGULAR && type != DIRECTORY && type != UNKNOWN
        || name.equals(".")
        || name.equals("..")) {
      return Optional.empty();
    }
    final String path = FileName.resolve(directory.opened(), name);
    final FileStatus status;
    try {
      status = FileStatus.in(directory, name);
    } catch (final PosixException e) {
      e.throwUnless(Errno.ENOENT); // renamed or deleted since its name was read
      return Optional.empty();
    }
    if (status.type() == FileType.REGULAR) {
      visitor.file(path, status.device(), status.inode());
    }
    return Optional.of(path)
        .filter(any -> status.type() == FileType.DIRECTORY && enters.test(path));
  }
}
