package org.sluice.core.posix;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.NativeFile.Flag;

/**
 * The regular files below a directory, whatever their names are and however long their paths. Files
 * that are made, renamed or deleted meanwhile may be seen or not. Not thread-safe.
 */
public final class FileTree {
  /** The longest path that is followed, so that the stack does not run out in a malicious tree. */
  private static final int LONGEST = 1 << 14;

  private final Predicate<String> enters;
  private final Visitor visitor;

  @FunctionalInterface
  public interface Visitor {
    /**
     * @param path a path of it, see {@link FileName}; it may be longer than a system call takes
     * @param device {@code major << 32 | minor}
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
   * @param enters accepts the paths of the directories to look into
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
    try {
      visit(path);
    } catch (final PosixException e) {
      e.throwUnless(Errno.ENOENT); // deleted, while empty, since it was opened
    }
  }

  private void visit(final String path) throws PosixException {
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
    try (Listing entries = new Listing(directory)) {
      while (entries.next()) {
        if (entries.mayBeOfUse()) {
          look(directory, entries.name()).ifPresent(directories::add);
        }
      }
    }
    return directories;
  }

  /** Visits a file; returns the path of a directory that is to be looked into. */
  private Optional<String> look(final NativeFile directory, final String name)
      throws PosixException {
    final Optional<FileStatus> status = status(directory, name);
    if (status.isEmpty() || name.equals(".") || name.equals("..")) {
      return Optional.empty();
    }
    final String path = FileName.resolve(directory.opened(), name);
    if (status.get().type() == FileType.REGULAR) {
      visitor.file(path, status.get().identity().device(), status.get().identity().inode());
    }
    return Optional.of(path)
        .filter(any -> status.get().type() == FileType.DIRECTORY && enters.test(path));
  }

  /** The status; empty for a file renamed or deleted since its name was read. */
  private static Optional<FileStatus> status(final NativeFile directory, final String name)
      throws PosixException {
    try {
      return Optional.of(FileStatus.in(directory, name));
    } catch (final PosixException e) {
      e.throwUnless(Errno.ENOENT);
      return Optional.empty();
    }
  }

  /**
   * Finds a file in a directory, not below it, by the inode numbers that the directory tells. On
   * some file systems these are not the files' own, and nothing is found.
   *
   * @param device of the file, {@code major << 32 | minor}
   * @return a path of it; empty when it is not there
   */
  public static Optional<String> find(final String directory, final long device, final long inode)
      throws PosixException {
    try (NativeFile opened = NativeFile.open(directory, Flag.DIRECTORY);
        Listing entries = new Listing(opened)) {
      while (entries.next()) {
        if (entries.inode() == inode) {
          final String name = entries.name();
          final Optional<FileStatus> status = status(opened, name);
          if (status
              .filter(s -> s.identity().device() == device && s.identity().inode() == inode)
              .isPresent()) {
            return Optional.of(FileName.resolve(directory, name));
          }
        }
      }
    }
    return Optional.empty();
  }
}
