package org.sluice.core.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.posix.Errno;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.posix.PosixException;

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
  private final CommitScan scan;

  /** Those that this process gave up, which need not be waited for. */
  private final Set<Path> given = ConcurrentHashMap.newKeySet();

  SpareContainers(final StoreDirectory store, final CommitScan scan) {
    this.store = store;
    this.scan = scan;
  }

  /** Its session needs a container no more. Any thread, also without the lock. */
  void given(final Path container) {
    given.add(container);
  }

  /**
   * Gives the largest spare one another name, if there is one. Neither its old header nor its old
   * chunks pass for those of the container with the new name, since all of them carry the old one's
   * id.
   */
  void moveOne(final Path name) throws IOException {
    final List<Path> spares = besides(Set.of());
    if (!spares.isEmpty()) {
      store.disk().rename(spares.getFirst(), name, FaultPoint.CONTAINER_REUSE);
    }
  }

  /** Deletes all but some, the largest. */
  void trim(final int most) throws IOException {
    for (final Path spare : besides(Set.of()).stream().skip(most).toList()) {
      store.disk().delete(spare, FaultPoint.CONTAINER_DELETE);
    }
  }

  /**
   * The spare ones, the largest first. Of a checkpoint's containers all are full but the last one.
   * Taken in this order they find blocks for all that they had before.
   *
   * @param gone ids of commits that do not count any more
   */
  List<Path> besides(final Set<Long> gone) throws IOException {
    final Map<Path, Long> lengths = new HashMap<>();
    final Optional<Set<Path>> named = named(gone);
    if (named.isPresent()) {
      final List<Path> containers = store.containerFiles();
      given.retainAll(containers); // the others are gone
      for (final Path container : containers) {
        if (isSpare(container, named.get())) {
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
  boolean delete(final Path container) throws IOException {
    final Optional<Set<Path>> named = named(Set.of());
    if (named.isPresent() && isSpare(container, named.get())) {
      store.disk().delete(container, FaultPoint.CONTAINER_DELETE);
      return true;
    }
    return false;
  }

  private boolean isSpare(final Path container, final Set<Path> named) throws IOException {
    if (named.contains(container)) {
      return false;
    }
    try (NativeFile file = StoredFile.open(container, Flag.WRITE)) {
      return (given.contains(container) || isOld(container)) && file.tryLock();
    } catch (final DamagedException missingOrNoFile) {
      return false;
    } catch (final PosixException e) {
      e.throwUnless(Errno.EACCES);
      return false;
    }
  }

  /** Whether no process can be about to resume the use of a file that it has not locked yet. */
  static boolean isOld(final Path file) throws IOException {
    final Instant written = Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toInstant();
    return written.isBefore(Instant.now().minus(GRACE));
  }

  /** What manifests name; empty when one cannot be read, as it might name anything. */
  private Optional<Set<Path>> named(final Set<Long> gone) throws IOException {
    final Set<IOException> unreadable = new HashSet<>();
    final Set<Path> named = new HashSet<>();
    for (final Commit commit : scan.all(unreadable::add)) {
      if (!gone.contains(commit.id())) {
        commit.containers().forEach(id -> named.add(store.container(id)));
      }
    }
    return unreadable.isEmpty() ? Optional.of(named) : Optional.empty();
  }
}
