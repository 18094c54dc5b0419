package org.sluice.core.store.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.fault.Fault;
import org.sluice.core.libc.PosixException;
import org.sluice.core.store.directory.CheckpointDirectory;
import org.sluice.core.store.directory.StoreDirectory;
import org.sluice.core.store.format.IndexCodec;
import org.sluice.core.store.format.ManifestCodec;
import org.sluice.core.store.format.StoredFile;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;

/**
 * The search for a store's manifests, superseded ones included. A manifest never changes, so it is
 * read only once, while it is there. Thread-safe.
 */
public final class CommitScan {
  private final StoreDirectory store;
  private final Map<Path, Commit> known = new ConcurrentHashMap<>();

  /** True if the store is a node's part of a series, which it stays; null before that is known. */
  private volatile Boolean part;

  public CommitScan(final StoreDirectory store) {
    this.store = store;
  }

  /**
   * Returns the commits in the directories that count. When a commit is superseded meanwhile the
   * scan starts over. The newer one may have come too late to be seen. A directory passed over
   * without a manifest may have got one since, or has lost it while another directory came.
   *
   * <p>The logs are read first. A commit in a log counts, whatever its directory holds. A commit
   * that has left the logs is durable in its directory, or removed.
   */
  List<Commit> commits(
      final Predicate<CheckpointDirectory> counts, final Consumer<IOException> unreadable)
      throws IOException {
    return commits(counts, (directory, why) -> unreadable.accept(why), unreadable);
  }

  private List<Commit> commits(
      final Predicate<CheckpointDirectory> counts,
      final BiConsumer<CheckpointDirectory, IOException> unreadable,
      final Consumer<IOException> damagedLog)
      throws IOException {
    while (true) {
      final List<Commit> commits = new ArrayList<>();
      final Map<CheckpointDirectory, IOException> failures = new LinkedHashMap<>();
      final List<IOException> damage = new ArrayList<>();
      try {
        final Map<CheckpointDirectory, LoggedCommit> logged = CommitLogs.read(store, damage::add);
        logged.forEach((directory, one) -> addLogged(directory, one, counts, commits));
        final List<CheckpointDirectory> directories = store.checkpointDirectories();
        known.keySet().retainAll(directories.stream().map(CheckpointDirectory::manifest).toList());
        final List<CheckpointDirectory> uncommitted = new ArrayList<>();
        for (final CheckpointDirectory directory : directories) {
          if (counts.test(directory) && !logged.containsKey(directory)) {
            if (directory.isCommitted()) {
              read(directory, commits, failures);
            } else {
              uncommitted.add(directory);
            }
          }
        }
        if (uncommitted.isEmpty()
            || uncommitted.stream().noneMatch(CheckpointDirectory::isCommitted)
                && store.checkpointDirectories().equals(directories)) {
          damage.forEach(damagedLog);
          failures.forEach(unreadable);
          return commits;
        }
      } catch (final NoSuchFileException e) {
        if (!Files.isDirectory(store.checkpoints())) {
          throw e;
        }
      }
    }
  }

  private static void addLogged(
      final CheckpointDirectory directory,
      final LoggedCommit one,
      final Predicate<CheckpointDirectory> counts,
      final List<Commit> commits) {
    if (counts.test(directory)) {
      commits.add(marked(directory, one.commit()));
    }
  }

  private static Commit marked(final CheckpointDirectory directory, final Commit commit) {
    return directory.isIncomplete() ? commit.markedIncomplete() : commit;
  }

  /**
   * Returns the images of a commit. A whole index in its directory equals the index in its log.
   * Without such an index all logs are read, and the directory may have followed meanwhile.
   */
  public List<CommittedImage> images(final CheckpointDirectory directory) throws IOException {
    try {
      return index(directory);
    } catch (final IOException missingOrDamaged) {
      final LoggedCommit one = logged().get(directory);
      return one != null && one.record().hasIndex() ? one.images() : index(directory);
    }
  }

  private static List<CommittedImage> index(final CheckpointDirectory directory)
      throws IOException {
    return IndexCodec.read(directory.index(), directory.commitId());
  }

  /** Returns whether only a log has a commit, as its directory has not followed. */
  public boolean isOnlyLogged(final CheckpointDirectory directory) throws IOException {
    return !directory.isCommitted() && logged().containsKey(directory);
  }

  private Map<CheckpointDirectory, LoggedCommit> logged() throws IOException {
    return CommitLogs.read(store, damage -> {});
  }

  /**
   * Reads a commit that nothing can hold. If it is removed meanwhile, the checksums tell.
   *
   * @return false when the commit is removed
   */
  public boolean whileThere(
      final CheckpointDirectory directory, final Fault.Step<IOException> reading)
      throws IOException {
    try {
      reading.run();
      return true;
    } catch (final IOException e) {
      if (commits(directory::equals, unreadable -> {}).isEmpty()) {
        return false;
      }
      throw e;
    }
  }

  /**
   * Returns the checkpoints that were committed and have lost their manifests, so that they count
   * no more.
   */
  public List<DamagedException> lost() throws IOException {
    final List<CheckpointDirectory> lost =
        new ArrayList<>(
            store.checkpointDirectories().stream()
                .filter(CheckpointDirectory::hasLostManifest)
                .toList());
    if (!lost.isEmpty()) {
      lost.removeAll(logged().keySet());
      lost.removeIf(
          directory -> !directory.hasLostManifest()); // a log has given the directory a manifest
    }
    return lost.stream().map(CommitScan::lost).toList();
  }

  public static DamagedException lost(final CheckpointDirectory directory) {
    return new DamagedException(
        directory.manifest().toString(),
        0,
        "the file is missing, so checkpoint %d counts no more; bring it back, or the next run deletes the rest"
            .formatted(directory.number()));
  }

  /** Returns the numbers of the committed checkpoints, readable or not. */
  public Set<Long> numbers() throws IOException {
    return Stream.concat(
            logged().keySet().stream(),
            store.checkpointDirectories().stream().filter(CheckpointDirectory::isCommitted))
        .map(CheckpointDirectory::number)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Returns the last commit of each number that counts, the first committed first. */
  public List<Commit> newest(
      final Predicate<CheckpointDirectory> counts, final Consumer<IOException> unreadable)
      throws IOException {
    return newest(commits(counts, unreadable)).stream()
        .sorted(
            (one, other) -> Long.compare(one.identity().sequence(), other.identity().sequence()))
        .toList();
  }

  /**
   * Returns the newest commits of their numbers. In a node's part of a series each commit stands
   * for itself.
   */
  private Collection<Commit> newest(final List<Commit> commits) throws IOException {
    Boolean is = part;
    if (is == null) {
      is = store.format().isPart();
      part = is;
    }
    return is ? commits : newestOfNumbers(commits);
  }

  private static Collection<Commit> newestOfNumbers(final List<Commit> commits) {
    return commits.stream()
        .collect(
            Collectors.toMap(
                Commit::number,
                commit -> commit,
                (one, other) ->
                    one.identity().sequence() < other.identity().sequence() ? other : one))
        .values();
  }

  /**
   * @throws IOException when one of its manifests cannot be read, or when there is none and the
   *     damaged record of a log might be it
   */
  public Optional<Commit> find(final long number) throws IOException {
    final Map<CheckpointDirectory, IOException> unreadable = new LinkedHashMap<>();
    final List<IOException> damage = new ArrayList<>();
    final Optional<Commit> found =
        newest(commits(any -> any.number() == number, unreadable::put, damage::add)).stream()
            .reduce(
                (one, other) ->
                    one.identity().sequence() < other.identity().sequence() ? other : one);
    final List<IOException> failures =
        new ArrayList<>(found.isEmpty() ? unreadable.values() : notBefore(found.get(), unreadable));
    if (found.isEmpty()) {
      failures.addAll(damage);
    }
    if (!failures.isEmpty()) {
      throw failures.getFirst();
    }
    return found;
  }

  /** Returns the damage that may hide a commit later than a given one. */
  public List<IOException> doubts(final Commit commit) throws IOException {
    final Map<CheckpointDirectory, IOException> unreadable = new LinkedHashMap<>();
    final List<IOException> damage = new ArrayList<>();
    commits(any -> true, unreadable::put, damage::add);
    return Stream.concat(notBefore(commit, unreadable).stream(), damage.stream()).toList();
  }

  /**
   * Returns the damage that may be later than a commit: no commit up to this one names it as
   * earlier. Only a readable commit tells, as the order is in the manifests alone.
   */
  private Collection<IOException> notBefore(
      final Commit commit, final Map<CheckpointDirectory, IOException> unreadable)
      throws IOException {
    if (unreadable.isEmpty()) {
      return List.of();
    }
    final Set<Long> before =
        commits(any -> true, any -> {}).stream()
            .filter(one -> one.identity().sequence() <= commit.identity().sequence())
            .flatMap(one -> one.identity().before().stream())
            .collect(Collectors.toSet());
    final Map<CheckpointDirectory, IOException> others = new LinkedHashMap<>(unreadable);
    others.keySet().removeIf(directory -> before.contains(directory.commitId()));
    return others.values();
  }

  private void read(
      final CheckpointDirectory directory,
      final List<Commit> commits,
      final Map<CheckpointDirectory, IOException> failures)
      throws IOException {
    try {
      Commit commit = known.get(directory.manifest());
      if (commit == null) {
        commit = read(directory);
        known.put(directory.manifest(), commit);
      }
      commits.add(marked(directory, commit));
    } catch (final DamagedException | FormatVersionException | PosixException e) {
      if (!directory.isCommitted()) {
        throw new NoSuchFileException(directory.manifest().toString()); // gone meanwhile
      }
      failures.put(directory, e);
    }
  }

  /** {@return the commit in it; files beside the manifest are not looked at} */
  public static Commit read(final CheckpointDirectory directory) throws IOException {
    final String file = directory.manifest().toString();
    final Commit commit =
        ManifestCodec.decode(
            file, StoredFile.readAll(directory.manifest(), ManifestCodec.MAX_LENGTH));
    if (commit.number() != directory.number() || commit.id() != directory.commitId()) {
      throw new DamagedException(file, 0, "the manifest of another commit stands here");
    }
    return commit;
  }
}
