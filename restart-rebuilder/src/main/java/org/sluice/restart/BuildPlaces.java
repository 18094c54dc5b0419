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
 * Where restores from a store build: files in the store name their notes, until nothing is built
 * there. So {@code ls} and {@code gc} find on the same node what one left that was killed, to
 * whichever place. A bucket has none, nor has another user's store. Not thread-safe.
 */
final class BuildPlaces {
  private static final String FOLDER = ".restores";
  private static final int MOST = 16384;

  private final Optional<Path> folder;

  /**
   * What a killed restore left.
   *
   * @param directory where it was to put files, or one above
   */
  record Left(String directory, long bytes) {}

  private BuildPlaces(final Optional<Path> folder) {
    this.folder = folder;
  }

  /** Of the store that a command is given. */
  static BuildPlaces of(final StoreOption store) {
    return store.isElsewhere()
        ? none()
        : new BuildPlaces(
            Optional.of(
                SeriesDirectory.root(store.directory().toAbsolutePath().normalize())
                    .resolve(FOLDER)));
  }

  /** Nothing is kept. */
  static BuildPlaces none() {
    return new BuildPlaces(Optional.empty());
  }

  /** Notes, as well as can be, that a note is about to be made, see {@link BuildNote}. */
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
      // the next restore to that place finds it all the same
    }
  }

  /** A user's store has nothing that its owner may not remove. */
  private static boolean isOwn(final Path store) throws IOException {
    return Files.getAttribute(store, "unix:uid").equals(NativeProcess.user());
  }

  /** The note is gone. */
  void remove(final String note) {
    try {
      if (folder.isPresent()) {
        Files.deleteIfExists(file(note));
        removeEmpty();
      }
    } catch (final IOException readOnly) {
      // who looks finds that there is no such note
    }
  }

  /** A store that was only read is as it was. */
  private void removeEmpty() throws IOException {
    try {
      Files.deleteIfExists(folder.orElseThrow());
    } catch (final DirectoryNotEmptyException another) {
      // a restore goes on
    }
  }

  private Path file(final String note) {
    return folder.orElseThrow().resolve(note.substring(note.lastIndexOf('/') + 2));
  }

  /**
   * Finds what restores of this user left on this node that were killed.
   *
   * @param removes whether it goes
   * @return what was found
   * @throws IOException when the store cannot be read, or something cannot be removed
   */
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

  /** What another user left is that one's to remove. */
  private static long left(final String note, final boolean removes) throws IOException {
    try {
      return BuildNote.left(note, removes);
    } catch (final PosixException e) {
      e.throwUnless(Errno.EACCES);
      return 0;
    }
  }

  /** Empty for one of another node, and for what a crash has damaged. */
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
