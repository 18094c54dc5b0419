package org.sluice.restart;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.command.StoreOption;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.Names;
import org.sluice.core.process.NativeProcess;
import org.sluice.core.store.directory.NodeIdentity;
import org.sluice.core.store.format.SealedText;
import org.sluice.core.store.parts.SeriesDirectory;

/**
 * The places where restores from a store build. Files in the store name the notes of restores until
 * these end. So {@code ls} and {@code gc} on the same node find files of a killed restore in any
 * place. A bucket has no such files, nor has another user's store. Not thread-safe.
 */
final class BuildPlaces {
  private static final String FOLDER = ".restores";
  private static final int MOST = 16384;

  private final Optional<Path> folder;

  /**
   * The files of a killed restore.
   *
   * @param directory target directory of the restore, or one above it
   */
  record Left(String directory, long bytes) {}

  private BuildPlaces(final Optional<Path> folder) {
    this.folder = folder;
  }

  static BuildPlaces of(final StoreOption store) {
    return store.isElsewhere() ? none() : of(store.directory());
  }

  /**
   * Returns the places of a store.
   *
   * @param store directory of the store, or of one node's part of it
   */
  static BuildPlaces of(final Path store) {
    return new BuildPlaces(
        Optional.of(SeriesDirectory.root(store.toAbsolutePath().normalize()).resolve(FOLDER)));
  }

  static BuildPlaces none() {
    return new BuildPlaces(Optional.empty());
  }

  /** Notes that a note is about to be made, see {@link BuildNote}. Failures are ignored. */
  void add(final String note) {
    try {
      if (folder.isPresent() && isOwn(folder.get().getParent())) {
        Files.createDirectories(folder.get());
        Files.write(
            file(note),
            SealedText.encode(NodeIdentity.self().name() + "\n" + note),
            StandardOpenOption.CREATE_NEW);
      }
    } catch (final IOException readOnly) {
      // the next restore to that place finds the note all the same
    }
  }

  /**
   * Returns whether the store is this user's. A user's store gets no files that its owner may not
   * remove.
   */
  private static boolean isOwn(final Path store) throws IOException {
    return Files.getAttribute(store, "unix:uid").equals(NativeProcess.user());
  }

  void remove(final String note) {
    try {
      if (folder.isPresent()) {
        Files.deleteIfExists(file(note));
        removeEmpty();
      }
    } catch (final IOException readOnly) {
      // a reader finds that the note does not exist
    }
  }

  /** Removes the folder when it is empty. So a store that was only read is as it was. */
  private void removeEmpty() throws IOException {
    try {
      Files.deleteIfExists(folder.orElseThrow());
    } catch (final DirectoryNotEmptyException another) {
      // another restore goes on
    }
  }

  private Path file(final String note) {
    return folder.orElseThrow().resolve(note.substring(note.lastIndexOf('/') + 2));
  }

  /** Finds files of killed restores of this user on this node. */
  List<Left> left(final boolean removes) throws IOException {
    final List<Left> left = new ArrayList<>();
    if (folder.isPresent() && Files.isDirectory(folder.get())) {
      for (final Path place : Names.in(folder.get())) {
        final Optional<String> note = note(place);
        if (note.isPresent()) {
          final long bytes = left(note.get(), removes);
          if (bytes > 0) {
            left.add(new Left(note.get().substring(0, note.get().lastIndexOf('/')), bytes));
          }
          if (removes && !Names.exists(note.get())) {
            Files.deleteIfExists(place);
          }
        }
      }
      if (removes) {
        removeEmpty();
      }
    }
    return left;
  }

  /** Returns the bytes of one restore; 0 for another user's, who has to remove them. */
  private static long left(final String note, final boolean removes) throws IOException {
    try {
      return BuildNote.left(note, removes);
    } catch (final PosixException e) {
      e.throwUnless(Errno.EACCES);
      return 0;
    }
  }

  /**
   * Returns the path of a note; empty for one of another node, and for a file that a crash has
   * damaged.
   */
  private static Optional<String> note(final Path place) throws IOException {
    final String node = NodeIdentity.self().name() + "\n";
    try {
      return Optional.of(SealedText.read(place, MOST))
          .filter(text -> text.startsWith(node))
          .map(text -> text.substring(node.length()));
    } catch (final DamagedException none) {
      return Optional.empty();
    }
  }
}
