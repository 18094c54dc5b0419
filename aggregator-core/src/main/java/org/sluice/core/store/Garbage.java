package org.sluice.core.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.posix.Errno;
import org.sluice.core.posix.FileType;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.PosixException;
import org.sluice.core.posix.Quoting;
import org.sluice.core.store.Leftover.Kind;
import org.sluice.core.store.StoreDirectory.CheckpointDirectory;

/**
 * Finds and removes what no committed checkpoint needs. Every method is called with the store's
 * lock held, under which alone checkpoints begin, are published and removed.
 */
final class Garbage {
  private static final Logger LOG = LoggerFactory.getLogger(Garbage.class);

  private final StoreDirectory store;
  private final CommitScan scan;
  private final SpareContainers spares;

  /** Checkpoints whose manifests are known to be durable. */
  private final Set<CheckpointDirectory> durable = ConcurrentHashMap.newKeySet();

  Garbage(final StoreDirectory store, final CommitScan scan, final SpareContainers spares) {
    this.store = store;
    this.scan = scan;
    this.spares = spares;
  }

  /**
   * Ends what killed processes began, and removes what is superseded, unless a process reads it.
   */
  void sweep() throws IOException {
    endCutShort();
    for (final Commit commit : superseded(unreadable -> {})) {
      directoryOf(commit).removeUnlessRead();
    }
  }

  /**
   * Ends what killed processes began. A commit whose manifest has its name becomes durable, before
   * anything older is removed. A checkpoint without one goes, before any container is used again: a
   * manifest whose removal was not made durable could come back after a power cut.
   */
  private void endCutShort() throws IOException {
    final List<CheckpointDirectory> directories = scan.directories();
    durable.retainAll(directories);
    for (final CheckpointDirectory checkpoint : directories) {
      if (isUnfinished(checkpoint)) {
        checkpoint.sweep();
      } else if (checkpoint.isCommitted() && !durable.contains(checkpoint)) {
        makeDurable(checkpoint);
      }
    }
  }

  /** A user who may not read a checkpoint takes nothing away because of it. */
  private void makeDurable(final CheckpointDirectory checkpoint) throws IOException {
    try {
      if (!checkpoint.isForeign()) {
        store.disk().syncDirectory(checkpoint.path(), null);
      }
      committed(checkpoint);
    } catch (final PosixException e) {
      e.throwUnless(Errno.EACCES);
    }
  }

  private CheckpointDirectory directoryOf(final Commit commit) {
    return store.checkpoint(commit.number(), commit.id());
  }

  /** Says that a checkpoint's manifest is durable. */
  void committed(final CheckpointDirectory checkpoint) {
    durable.add(checkpoint);
  }

  /** The new commit stands whatever happens here; what cannot be deleted now is garbage. */
  void supersede(final Commit commit) {
    try {
      for (final CheckpointDirectory checkpoint : scan.directories()) {
        final boolean other = checkpoint.commitId() != commit.id();
        if (other && checkpoint.number() == commit.number() && checkpoint.isCommitted()) {
          checkpoint.removeUnlessRead();
        }
      }
      sweep();
      spares.trim(commit.containers().size());
    } catch (final IOException e) {
      LOG.warn(
          "checkpoint {} is committed, but an older one of it stays: {}",
          commit.number(),
          Quoting.line(e.getMessage()));
    }
  }

  /**
   * Removes everything that can be.
   *
   * @param dryRun only finds it
   * @param unreadable told of manifests that cannot be read, which might name any container
   */
  List<Leftover> collect(final boolean dryRun, final Consumer<IOException> unreadable)
      throws IOException {
    final List<Leftover> found = new ArrayList<>();
    for (final CheckpointDirectory checkpoint : unfinished()) {
      found.add(new Leftover(Kind.UNFINISHED, checkpoint.path(), bytes(checkpoint.path())));
    }
    if (!dryRun) {
      endCutShort();
    }
    final Set<Long> gone = new HashSet<>();
    for (final Commit commit : superseded(unreadable)) {
      final CheckpointDirectory checkpoint = directoryOf(commit);
      final long bytes = bytes(checkpoint.path());
      if (dryRun ? checkpoint.isUnread() : checkpoint.removeUnlessRead()) {
        gone.add(commit.id());
        found.add(new Leftover(Kind.SUPERSEDED, checkpoint.path(), bytes));
      }
    }
    tellOfForeign(unreadable);
    for (final Path image : images()) {
      found.add(new Leftover(Kind.IMAGE, image, bytes(image)));
    }
    for (final Path container : spares.besides(gone)) {
      found.add(new Leftover(Kind.CONTAINER, container, bytes(container)));
    }
    if (!dryRun) {
      remove(found);
    }
    return found;
  }

  private void remove(final List<Leftover> leftovers) throws IOException {
    for (final Leftover leftover : leftovers) {
      if (leftover.kind() == Kind.IMAGE || leftover.kind() == Kind.CONTAINER) {
        store.disk().delete(leftover.path(), null);
      }
    }
  }

  private List<CheckpointDirectory> unfinished() throws IOException {
    final List<CheckpointDirectory> unfinished = new ArrayList<>();
    for (final CheckpointDirectory checkpoint : scan.directories()) {
      if (isUnfinished(checkpoint)) {
        unfinished.add(checkpoint);
      }
    }
    return unfinished;
  }

  private static boolean isUnfinished(final CheckpointDirectory checkpoint) throws IOException {
    return !checkpoint.isCommitted() && checkpoint.isAbandoned();
  }

  /** A process read them when the newer ones of their numbers were committed. */
  private List<Commit> superseded(final Consumer<IOException> unreadable) throws IOException {
    final List<Commit> commits = scan.all(unreadable);
    final Map<Long, Long> newest = new HashMap<>();
    commits.forEach(commit -> newest.merge(commit.number(), commit.sequence(), Math::max));
    return commits.stream()
        .filter(commit -> commit.sequence() < newest.get(commit.number()))
        .toList();
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

  /** What is no file where only files of this store belong. */
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

  /** A file with another name stays. */
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
