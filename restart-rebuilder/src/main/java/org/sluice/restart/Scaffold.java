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
 * Where files are built until all are whole. What is missing, directory or file, is made beside its
 * place under a temporary name, and gets its own in one step: a missing directory with all that
 * goes into it. So a restore that fails or is stopped leaves nothing, and one that is killed leaves
 * nothing under a name that a user gave, and a note of the rest. Thread-safe, as a signal takes it
 * down.
 */
final class Scaffold implements AutoCloseable {
  private final boolean force;
  private final BuildNote note;

  /** Where each directory is built; those that were there are in their places. */
  private final Map<String, String> places = new HashMap<>();

  /** What is moved to give what is in a directory its place; for all of it the empty path. */
  private final Map<String, List<Move>> moves = new HashMap<>();

  private final Deque<Made> made = new ArrayDeque<>();
  private boolean closed;

  /** A file or directory gets its name. */
  private record Move(String from, String to) {}

  private record Made(String path, boolean directory) {}

  /** A move to be taken back. */
  private record Done(Move move, boolean exchanged) {}

  /**
   * Builds nothing yet.
   *
   * @param force whether files are replaced
   * @param places told where it builds
   */
  Scaffold(final boolean force, final BuildPlaces places) {
    this.force = force;
    this.note = new BuildNote(places);
  }

  /** Makes an empty file, and says what it is called until all is there. */
  synchronized String file(final String target) throws IOException {
    final String name = name(target, directory(parent(target)));
    NativeFile.open(name, Flag.WRITE, Flag.CREATE, Flag.EXCLUSIVE).close();
    made.push(new Made(name, false));
    return name;
  }

  /** Makes another name of a file, which is called so until all is there. */
  synchronized String link(final String file, final String target) throws IOException {
    final String name = name(target, directory(parent(target)));
    Names.link(file, name);
    made.push(new Made(name, false));
    return name;
  }

  /** Sees to a directory, and says where it is until all is there. */
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

  /** A directory, or the lowest one above it that is there: where the note of what is built is. */
  static String there(final String path) {
    return Names.exists(path) ? path : there(parent(path));
  }

  /** Removes what restores left that were killed, be it before a directory was made or after. */
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

  /** What something is called within a directory, which is there or is being built. */
  private String name(final String target, final String parent) {
    final boolean there = parent.equals(parent(target));
    final String name = there ? note.next(parent) : target.substring(target.lastIndexOf('/') + 1);
    final String from = FileName.resolve(parent, name);
    moves
        .computeIfAbsent(there ? "" : parent(target), any -> new ArrayList<>())
        .add(new Move(from, target));
    return from;
  }

  /** The root is there, and is its own parent. */
  private static String parent(final String path) {
    return path.substring(0, Math.max(1, path.lastIndexOf('/')));
  }

  private void refuseClosed() throws IOException {
    if (closed) {
      throw new IOException("the restore was stopped");
    }
  }

  /** Gives all their names; none when that fails. */
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
      if (Names.exists(move.from())) { // else it is no more than a name that could not be made
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
        move(move.to(), done); // another restore has made it meanwhile
      } else if (force && !directory && !onDirectory) {
        replace(move, done);
      } else {
        throw exists(move.to());
      }
    }
  }

  /** What was there is deleted at the end. Where names cannot be exchanged it is lost at once. */
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
        Quoting.name(target) + " exists; --force overwrites it, --to takes another place");
  }

  /** Deletes what has not got its name. */
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
