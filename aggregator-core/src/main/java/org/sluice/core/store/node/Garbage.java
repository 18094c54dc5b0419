package org.sluice.core.store.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.posix.FileType;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.Speaker;
import org.sluice.core.store.directory.CheckpointDirectory;
import org.sluice.core.store.directory.Farewell;
import org.sluice.core.store.directory.StoreDirectory;
import org.sluice.core.store.format.StoredFile;
import org.sluice.core.store.log.CommitLogs;
import org.sluice.core.store.log.CommitScan;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.node.Leftover.Kind;

/**
 * Finds and removes what no committed checkpoint needs. Every method is called with the store's
 * lock held, under which alone checkpoints begin, are published and removed.
 */
final class Garbage {
  private final StoreDirectory store;
  private final Catalogue catalogue;
  private final CommitLogs logs;
  private final SpareContainers spares;

  Garbage(
      final StoreDirectory store,
      final Catalogue catalogue,
      final CommitLogs logs,
      final SpareContainers spares) {
    this.store = store;
    this.catalogue = catalogue;
    this.logs = logs;
    this.spares = spares;
  }

  /**
   * Ends what killed processes began, and removes what is superseded, unless a process reads it.
   */
  void sweep() throws IOException {
    endCutShort();
    if (!logs.follow()) {
      return; // a reader that has read the logs before looks for directories
    }
    for (final Catalogue.Known commit : catalogue.superseded()) {
      remove(catalogue.directoryOf(commit));
    }
  }

  /**
   * Ends what killed processes began. A checkpoint without a manifest goes, before any container is
   * used again: a manifest whose removal was not made durable could come back after a power cut.
   */
  private void endCutShort() throws IOException {
    final List<CheckpointDirectory> cutShort = unfinished();
    if (!logs.recover()) {
      return; // a record of a log that stays may count, and name what a directory has
    }
    for (final CheckpointDirectory checkpoint : cutShort) {
      if (checkpoint.hasLostManifest()) {
        Speaker.say(CommitScan.lost(checkpoint).getMessage());
      }
      catalogue.changing();
      logs.makeNamesDurable();
      checkpoint.sweep();
      catalogue.removed(checkpoint);
    }
  }

  /** Removes a checkpoint; false when a process reads it, and it stays. */
  boolean remove(final CheckpointDirectory checkpoint) throws IOException {
    return remove(checkpoint, () -> true);
  }

  /** Removes a commit, and before it what it superseded. */
  boolean remove(final Commit commit, final Farewell farewell) throws IOException {
    for (final Catalogue.Known other : catalogue.supersededBy(commit)) {
      if (!remove(catalogue.directoryOf(other))) {
        return false;
      }
    }
    return remove(store.checkpoint(commit.number(), commit.id()), farewell);
  }

  /** Removes what is damaged of a number; false when a process reads some of it. */
  boolean removeUnreadable(final long number) throws IOException {
    boolean all = true;
    for (final CheckpointDirectory damaged : catalogue.unreadable().keySet()) {
      all &= damaged.number() != number || remove(damaged);
    }
    return all;
  }

  /** The same, right behind a farewell that may still prevent it. */
  private boolean remove(final CheckpointDirectory checkpoint, final Farewell farewell)
      throws IOException {
    catalogue.changing();
    logs.retire(checkpoint);
    final boolean removed = checkpoint.removeUnlessRead(farewell);
    if (removed) {
      catalogue.removed(checkpoint);
    }
    return removed;
  }

  /** The new commit stands whatever happens here; what cannot be deleted now is garbage. */
  void supersede(final Commit commit) {
    try {
      if (!logs.follow()) {
        return;
      }
      if (catalogue.supersedes()) {
        removeUnreadable(commit.number());
      }
      sweep();
      spares.trim(commit.content().containers().size());
    } catch (final IOException e) {
      catalogue.forget();
      Speaker.say(
          "checkpoint %d is committed, but an older one of it stays: %s"
              .formatted(commit.number(), e.getMessage()));
    }
  }

  /**
   * Removes everything that can be.
   *
   * @param unreadable told of manifests that cannot be read, which might name any container
   */
  List<Leftover> collect(final boolean dryRun, final Consumer<IOException> unreadable)
      throws IOException {
    final List<Leftover> found = new ArrayList<>();
    for (final CheckpointDirectory checkpoint : unfinished()) {
      found.add(leftover(Kind.UNFINISHED, checkpoint.path(), bytes(checkpoint.path())));
    }
    if (!dryRun) {
      endCutShort();
    }
    catalogue.damage().forEach(unreadable);
    final List<Catalogue.Known> gone = new ArrayList<>();
    for (final Catalogue.Known commit : catalogue.superseded()) {
      final CheckpointDirectory checkpoint = catalogue.directoryOf(commit);
      final Leftover superseded =
          leftover(Kind.SUPERSEDED, checkpoint.path(), bytes(checkpoint.path()));
      if (dryRun ? checkpoint.isUnread() : remove(checkpoint)) {
        found.add(superseded);
        if (dryRun) { // a removed one names no container any more
          gone.add(commit);
        }
      }
    }
    tellOfForeign(unreadable);
    for (final Path image : images()) {
      found.add(leftover(Kind.IMAGE, image, bytes(image)));
    }
    for (final Path folder : HeldLinks.leftovers(store)) {
      found.add(leftover(Kind.HELD, folder, bytes(folder)));
    }
    for (final Path container : spares.besides(gone)) {
      found.add(leftover(Kind.CONTAINER, container, bytes(container)));
    }
    if (!dryRun) {
      delete(found);
    }
    return found;
  }

  /** Sets aside the damaged logs of dead processes. */
  List<Leftover> setAsideDamagedLogs(final boolean dryRun) throws IOException {
    final List<Leftover> damaged = new ArrayList<>();
    for (final Path log : logs.damaged()) {
      damaged.add(leftover(Kind.LOG, log, 0));
      if (!dryRun) {
        catalogue.changing();
        logs.setAside(log);
        catalogue.forget();
      }
    }
    return damaged;
  }

  private void delete(final List<Leftover> leftovers) throws IOException {
    logs.makeNamesDurable();
    for (final Leftover leftover : leftovers) {
      if (leftover.kind() == Kind.IMAGE || leftover.kind() == Kind.CONTAINER) {
        store.disk().delete(Path.of(leftover.path()), null);
        catalogue.containers().gone(Path.of(leftover.path()));
      } else if (leftover.kind() == Kind.HELD) {
        HeldLinks.remove(store, Path.of(leftover.path()));
      }
    }
  }

  /** Removes the links by which dead sessions held files: those may be long deleted. */
  void dropHeld() throws IOException {
    for (final Path folder : HeldLinks.leftovers(store)) {
      HeldLinks.remove(store, folder);
    }
  }

  private List<CheckpointDirectory> unfinished() throws IOException {
    final List<CheckpointDirectory> unfinished = new ArrayList<>();
    if (!catalogue.knowsLogs()) {
      return unfinished;
    }
    for (final CheckpointDirectory checkpoint : catalogue.uncommitted()) {
      if (checkpoint.isAbandoned()) {
        unfinished.add(checkpoint);
      }
    }
    return unfinished;
  }

  private List<Path> images() throws IOException {
    final List<Path> images = new ArrayList<>();
    for (final Path file : Names.in(store.staging())) {
      if (isFile(file) && SpareContainers.isOld(file) && StoreDirectory.isUnlocked(file)) {
        images.add(file);
      }
    }
    return images;
  }

  /** Tells of entries that are no files where only files of this store belong. */
  private void tellOfForeign(final Consumer<IOException> foreign) throws IOException {
    for (final Path part : List.of(store.containers(), store.staging())) {
      for (final Path file : Names.in(part)) {
        tellOfForeign(file, foreign);
      }
    }
  }

  private static void tellOfForeign(final Path file, final Consumer<IOException> foreign)
      throws IOException {
    try {
      StoredFile.check(file, FileType.REGULAR);
    } catch (final DamagedException e) {
      foreign.accept(e);
    }
  }

  private Leftover leftover(final Kind kind, final Path path, final long bytes) {
    return new Leftover(kind, store.path().relativize(path).toString(), path.toString(), bytes);
  }

  /** Returns the bytes that go with a path: a file with another name stays. */
  private static long bytes(final Path path) throws IOException {
    long bytes = 0;
    try (Stream<Path> tree = Files.walk(path)) {
      for (final Path file : tree.filter(Garbage::isFile).toList()) {
        bytes += (int) Files.getAttribute(file, "unix:nlink") == 1 ? Files.size(file) : 0;
      }
    } catch (final NoSuchFileException deletedMeanwhile) {
      return bytes;
    } catch (final UncheckedIOException e) {
      throw e.getCause();
    }
    return bytes;
  }

  private static boolean isFile(final Path path) {
    return Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS);
  }
}
