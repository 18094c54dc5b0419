package org.sluice.core.store.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.store.directory.StoreDirectory;
import org.sluice.core.store.format.StoredFile;
import org.sluice.core.store.log.CommitLogs;

/**
 * Containers that no manifest names and nobody has locked, whether a checkpoint of theirs was
 * removed or their session died. Their blocks were written before, which makes them the better new
 * containers.
 *
 * <p>Every method is called with the store's lock held, under which alone containers are made,
 * renamed and deleted and manifests published: what is found spare stays so until the caller is
 * done with it.
 */
final class SpareContainers {
  /**
   * A killed I/O process that is resumed has locked its containers again by then. They count from
   * {@link PosixStore#renew}, since the last write may be long ago.
   */
  private static final Duration GRACE = Duration.ofMinutes(1);

  private final StoreDirectory store;
  private final Catalogue catalogue;
  private final CommitLogs logs;

  /** The containers that this process gave up, which need not be waited for. */
  private final Set<Path> given = ConcurrentHashMap.newKeySet();

  /** The number of containers that the last commit needed. */
  private int enough = Integer.MAX_VALUE;

  SpareContainers(final StoreDirectory store, final Catalogue catalogue, final CommitLogs logs) {
    this.store = store;
    this.catalogue = catalogue;
    this.logs = logs;
  }

  /** Takes a container that its session needs no more. Any thread, also without the lock. */
  void given(final Path container) {
    given.add(container);
  }

  /** The session is over, so nobody resumes the use of any: the next one need not wait. */
  void end() throws IOException {
    final Instant old = Instant.now().minus(GRACE);
    for (final Path container : given) {
      try {
        Names.touch(container, old);
      } catch (final PosixException e) {
        e.throwUnless(Errno.ENOENT);
      }
    }
  }

  /**
   * Gives the largest spare one another name, if there is one. Neither its old header nor its old
   * chunks pass for those of the container with the new name, since all of them carry the old one's
   * id.
   */
  void moveOne(final Path name) throws IOException {
    final List<Path> spares = all();
    if (!spares.isEmpty()) {
      logs.makeNamesDurable();
      store.disk().rename(spares.getFirst(), name, FaultPoint.CONTAINER_REUSE);
      gone(spares.getFirst());
    }
    catalogue.containers().made(name);
  }

  /** Deletes all but some, the largest, for a commit that needed so many. */
  void trim(final int most) throws IOException {
    enough = most;
    trimAgain();
  }

  /** The same with those that have come since. */
  void trimAgain() throws IOException {
    for (final Path spare : all().stream().skip(enough).toList()) {
      delete(spare);
    }
  }

  private List<Path> all() throws IOException {
    return besides(List.of());
  }

  /**
   * The spare ones, the largest first. All containers of a checkpoint are full but the last one.
   * Taken in this order they find blocks for all that they had before.
   *
   * @param gone commits that do not count any more
   */
  List<Path> besides(final List<Catalogue.Known> gone) throws IOException {
    final Map<Path, Long> lengths = new HashMap<>();
    if (catalogue.damage().isEmpty()) {
      for (final Path container : catalogue.containers().unnamedBut(gone)) {
        if (isFree(container)) {
          lengths.put(container, Files.size(container));
        }
      }
    }
    return lengths.entrySet().stream()
        .sorted(Map.Entry.<Path, Long>comparingByValue().reversed())
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Deletes one if it is spare; returns whether it is gone. */
  boolean deleteIfSpare(final Path container) throws IOException {
    final boolean spare =
        catalogue.damage().isEmpty()
            && catalogue.containers().unnamed().contains(container)
            && isFree(container);
    if (spare) {
      delete(container);
    }
    return spare;
  }

  private void delete(final Path container) throws IOException {
    logs.makeNamesDurable();
    store.disk().delete(container, FaultPoint.CONTAINER_DELETE);
    gone(container);
  }

  private void gone(final Path container) throws IOException {
    catalogue.containers().gone(container);
    given.remove(container);
  }

  /** Returns whether no process has a container, nor is about to take it again. */
  private boolean isFree(final Path container) throws IOException {
    try (NativeFile file = StoredFile.open(container, Flag.WRITE)) {
      return (given.contains(container) || isOld(container)) && file.tryLock();
    } catch (final DamagedException missingOrNoFile) {
      return false;
    } catch (final PosixException e) {
      e.throwUnless(Errno.EACCES);
      return false;
    }
  }

  /**
   * Returns whether no process can be about to resume the use of a file that it has not locked yet.
   */
  static boolean isOld(final Path file) throws IOException {
    final Instant written = Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toInstant();
    return written.isBefore(Instant.now().minus(GRACE));
  }
}
