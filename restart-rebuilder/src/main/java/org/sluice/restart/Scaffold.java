package org.sluice.restart;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.posix.FileType;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.posix.Quoting;

/**
 * The place where files are built until all are whole. A missing file or directory is made beside
 * its place under a temporary name, and gets its own in one step. A missing directory gets its name
 * together with its contents. So a restore that fails or is stopped leaves nothing. A killed one
 * leaves only hidden names and a note of them. Thread-safe, as a signal may close it.
 */
final class Scaffold implements AutoCloseable {
  private final boolean force;
  private final BuildNote note;

  /**
   * The paths at which directories are built, by target; those that existed are in their places.
   */
  private final Map<String, String> places = new HashMap<>();

  /**
   * The moves that put files of a directory in place, by directory; those of existing directories
   * are under the empty path.
   */
  private final Map<String, List<Move>> moves = new HashMap<>();

  private final Deque<Made> made = new ArrayDeque<>();
  private boolean closed;

  /** A file or directory that gets its name. */
  private record Move(String from, String to) {}

  private record Made(String path, boolean directory) {}

  /** A move that may be taken back. */
  private record Done(Move move, boolean exchanged) {}

  Scaffold(final boolean force, final BuildPlaces places) {
    this.force = force;
    this.note = new BuildNote(places);
  }

  /** Creates an empty file. Returns its name until all is there. */
  synchronized String file(final String target) throws IOException {
    final String name = name(target, directory(parent(target)));
    NativeFile.open(name, Flag.WRITE, Flag.CREATE, Flag.EXCLUSIVE).close();
    made.push(new Made(name, false));
    return name;
  }

  /** Creates another name of a file. Returns the temporary form of that name. */
  synchronized String link(final String file, final String target) throws IOException {
    final String name = name(target, directory(parent(target)));
    Names.link(file, name);
    made.push(new Made(name, false));
    return name;
  }

  /** Provides a directory. Returns its path until all is there. */
  synchronized String directory(final String path) throws IOException {
    refuseClosed();
    String place = places.get(path);
    if (places.isEmpty()) {
      note.begin(there(path));
    }
    if (place == null) {
      place = Names.exists(path) ? path : make(path);
      places.put(path, place);
    }
    return place;
  }

  /**
   * Returns a directory, or the lowest existing one above it, in which the note of the restore
   * lies.
   */
  static String there(final String path) {
    return Names.exists(path) ? path : there(parent(path));
  }

  /**
   * Removes files of killed restores, whether they were killed before or after a directory was
   * made.
   */
  static long sweep(final String path) {
    final String there = there(path);
    return BuildNote.sweep(there) + BuildNote.sweep(parent(there));
  }

  private String make(final String path) throws IOException {
    final String above = directory(parent(path));
    final String place = name(path, above);
    try {
      Names.createDirectory(place);
    } catch (final PosixException e) {
      throw new PosixException("create the directory " + path, e.errno());
    }
    made.push(new Made(place, true));
    return place;
  }

  /** Returns the temporary path for a target, in a directory that exists or is being built. */
  private String name(final String target, final String parent) {
    final boolean there = parent.equals(parent(target));
    final String name = there ? note.next(parent) : target.substring(target.lastIndexOf('/') + 1);
    final String from = FileName.resolve(parent, name);
    moves
        .computeIfAbsent(there ? "" : parent(target), any -> new ArrayList<>())
        .add(new Move(from, target));
    return from;
  }

  /** Returns the directory above a path. The root is its own parent. */
  private static String parent(final String path) {
    return path.substring(0, Math.max(1, path.lastIndexOf('/')));
  }

  private void refuseClosed() throws IOException {
    if (closed) {
      throw new IOException("the restore was stopped");
    }
  }

  /** Gives all files and directories their names; none of them when that fails. */
  synchronized void finish() throws IOException {
    refuseClosed();
    final Deque<Done> done = new ArrayDeque<>();
    try {
      move("", done);
    } catch (final IOException | CommandException e) {
      for (final Done one : done) {
        takeBack(one, e);
      }
      throw e;
    }
  }

  private void move(final String directory, final Deque<Done> done) throws IOException {
    for (final Move move : moves.getOrDefault(directory, List.of())) {
      if (Names.exists(move.from())) { // else making the file had failed
        move(move, done);
      }
    }
  }

  private void move(final Move move, final Deque<Done> done) throws IOException {
    try {
      Names.renameToNew(move.from(), move.to());
      done.push(new Done(move, false));
    } catch (final PosixException e) {
      e.throwUnless(Errno.EEXIST);
      final boolean directory = places.containsKey(move.to());
      final boolean onDirectory = typeOf(move.to()) == FileType.DIRECTORY;
      if (directory && onDirectory) {
        move(move.to(), done); // another restore has made the directory meanwhile
      } else if (force && !directory && !onDirectory) {
        replace(move, done);
      } else {
        throw exists(move.to());
      }
    }
  }

  /**
   * Replaces a file, which is deleted at the end. Where names cannot be exchanged the old file is
   * lost at once.
   */
  private static void replace(final Move move, final Deque<Done> done) throws IOException {
    try {
      Names.exchange(move.from(), move.to());
      done.push(new Done(move, true));
    } catch (final PosixException e) {
      e.throwUnless(Errno.EINVAL);
      Names.rename(move.from(), move.to());
    }
  }

  private static void takeBack(final Done done, final Exception failure) {
    try {
      if (done.exchanged()) {
        Names.exchange(done.move().from(), done.move().to());
      } else {
        Names.renameToNew(done.move().to(), done.move().from());
      }
    } catch (final PosixException e) {
      failure.addSuppressed(e);
    }
  }

  private static FileType typeOf(final String path) throws PosixException {
    return FileStatus.of(path).type();
  }

  static CommandException exists(final String target) {
    return new CommandException(
        ExitStatus.EXISTS,
        Quoting.name(target)
            + " exists; move it or restore elsewhere; sluice restore --force overwrites it");
  }

  /** Deletes files and directories without their final names. */
  @Override
  public synchronized void close() throws PosixException {
    closed = true;
    while (!made.isEmpty()) {
      final Made one = made.pop();
      if (one.directory()) {
        Names.deleteDirectory(one.path());
      } else {
        Names.delete(one.path());
      }
    }
    note.close();
  }
}
