package org.sluice.core.store.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileIdentity;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.store.directory.ChangeCount;
import org.sluice.core.store.directory.CheckpointDirectory;
import org.sluice.core.store.directory.StoreDirectory;
import org.sluice.core.store.log.CommitLogs;
import org.sluice.core.store.log.CommitScan;
import org.sluice.core.store.log.LastCommits;
import org.sluice.core.store.log.LoggedCommit;
import org.sluice.core.store.model.Commit;

/**
 * The knowledge of a process about the checkpoints of a store, so that it need not look at all of
 * them at each commit. The {@link ChangeCount} tells when another process has changed a checkpoint,
 * and the times of the directories when a user or an older Sluice has. Then all are looked at
 * again; manifests never change, so only new ones are read. Under the store's lock only.
 */
final class Catalogue {
  private final StoreDirectory store;
  private final CommitLogs logs;
  private final NamedContainers containers;

  /** The commits of each number, superseded ones included. */
  private final Map<Long, List<Known>> committed = new HashMap<>();

  /** Numbers with more than one commit. */
  private final Set<Long> superseding = new HashSet<>();

  private final Set<CheckpointDirectory> uncommitted = new LinkedHashSet<>();
  private final Map<CheckpointDirectory, IOException> unreadable = new LinkedHashMap<>();

  private final List<IOException> damage = new ArrayList<>();

  private long lastSequence;
  private final LastCommits last = new LastCommits();

  private final boolean supersedes;

  /** The stamp of the store from when the lock was given back; null when that does not count. */
  private Stamp stamp;

  /** The count of changes in this hold of the lock. */
  private long count;

  /** True while the knowledge holds, in this hold of the lock. */
  private boolean current;

  /** True while all that this hold of the lock has changed is known. */
  private boolean trusted;

  /** The figures that change when a checkpoint comes or goes. */
  private record Stamp(long count, FileStatus checkpoints) {

    // The methods that the JVM makes for a record it links anew at each start, which takes
    // milliseconds.

    @Override
    public boolean equals(final Object other) {
      return other instanceof final Stamp stamp
          && stamp.count == count
          && stamp.checkpoints.equals(checkpoints);
    }

    @Override
    public int hashCode() {
      return checkpoints.hashCode() * 31 + Long.hashCode(count);
    }
  }

  /**
   * The facts that have to be known of a commit. Manifests with all they say would fill the heap.
   */
  static final class Known {
    private final long number;
    private final long id;
    private final long sequence;
    private final List<Long> containers;

    /** The inodes of its images' own files, ascending; null until asked for. */
    private long[] inodes;

    private Known(final Commit commit) {
      this.number = commit.number();
      this.id = commit.id();
      this.sequence = commit.identity().sequence();
      this.containers = commit.content().containers();
    }

    long sequence() {
      return sequence;
    }

    List<Long> containers() {
      return containers;
    }

    /**
     * Returns whether the commit may have a link of a file. A commit that has one is to be asked
     * anew.
     */
    private boolean mayHave(final long inode, final CheckpointDirectory directory)
        throws IOException {
      inodes = inodes == null ? inodesOf(directory) : inodes;
      final boolean has = Arrays.binarySearch(inodes, inode) >= 0;
      inodes = has ? null : inodes;
      return has;
    }

    private static long[] inodesOf(final CheckpointDirectory directory) throws IOException {
      return directory.imageFiles().stream()
          .map(FileStatus::identity)
          .mapToLong(FileIdentity::inode)
          .sorted()
          .toArray();
    }
  }

  Catalogue(final StoreDirectory store, final CommitLogs logs) throws IOException {
    this.store = store;
    this.supersedes = !store.format().isPart();
    this.logs = logs;
    this.containers = new NamedContainers(store);
  }

  // ---- what is known ----

  /** The directories without a manifest: commits under way, or cut short, or removals cut short. */
  List<CheckpointDirectory> uncommitted() throws IOException {
    update();
    return List.copyOf(uncommitted);
  }

  /** The directories whose manifests cannot be read, and why. */
  Map<CheckpointDirectory, IOException> unreadable() throws IOException {
    update();
    return new LinkedHashMap<>(unreadable);
  }

  /** Returns why it is not known what all commits name: manifests and logs that cannot be read. */
  List<IOException> damage() throws IOException {
    update();
    return Stream.concat(unreadable.values().stream(), damage.stream()).toList();
  }

  /** Returns whether all records of logs could be read. Else a directory may be of one of them. */
  boolean knowsLogs() throws IOException {
    update();
    return damage.isEmpty();
  }

  /** Commits that newer ones of their numbers supersede. */
  List<Known> superseded() throws IOException {
    update();
    final List<Known> superseded = new ArrayList<>();
    for (final long number : superseding) {
      final List<Known> all = committed.get(number);
      final long newest = all.stream().mapToLong(Known::sequence).max().orElseThrow();
      all.stream().filter(one -> one.sequence < newest).forEach(superseded::add);
    }
    return superseded;
  }

  boolean supersedes() {
    return supersedes;
  }

  List<Known> supersededBy(final Commit commit) throws IOException {
    update();
    return committed.getOrDefault(commit.number(), List.of()).stream()
        .filter(other -> supersedes && other.sequence < commit.identity().sequence())
        .toList();
  }

  long nextSequence() throws IOException {
    update();
    return lastSequence + 1;
  }

  /** Ids of the last commits, and of those that cannot be read: all were before the next one. */
  List<Long> last() throws IOException {
    update();
    return Stream.concat(
            last.ids().stream(), unreadable.keySet().stream().map(CheckpointDirectory::commitId))
        .toList();
  }

  private Stream<Known> commits() {
    return committed.values().stream().flatMap(Collection::stream);
  }

  /** Returns the containers that the manifests name, where all can be read. */
  NamedContainers containers() throws IOException {
    update();
    return containers;
  }

  CheckpointDirectory directoryOf(final Known commit) {
    return store.checkpoint(commit.number, commit.id);
  }

  /** The checkpoints that may have links of a file, each of which is to be looked at. */
  List<CheckpointDirectory> holders(final NativeFile file) throws IOException {
    update();
    final List<CheckpointDirectory> holders = new ArrayList<>(uncommitted);
    holders.addAll(unreadable.keySet());
    for (final Known one : (Iterable<Known>) commits()::iterator) {
      if (one.mayHave(file.inode(), directoryOf(one))) {
        holders.add(directoryOf(one));
      }
    }
    return holders;
  }

  // ---- what this process does ----

  /** Begins a hold of the lock. */
  void begin() {
    current = false;
  }

  /**
   * Announces a change, before a checkpoint is changed.
   *
   * @throws IOException when others could not know it; nothing may be changed then
   */
  void changing() throws IOException {
    update();
    store.format().upgrade();
    if (!ChangeCount.isOdd(count)) {
      count = store.changes().next(count);
    }
  }

  void began(final CheckpointDirectory checkpoint) {
    uncommitted.add(checkpoint);
  }

  void committed(final Commit commit) {
    uncommitted.remove(store.checkpoint(commit.number(), commit.id()));
    add(new Known(commit));
  }

  void removed(final CheckpointDirectory checkpoint) {
    uncommitted.remove(checkpoint);
    unreadable.remove(checkpoint);
    final List<Known> others = new ArrayList<>();
    for (final Known one : committed.getOrDefault(checkpoint.number(), List.of())) {
      if (one.id == checkpoint.commitId()) {
        containers.unname(one.containers);
      } else {
        others.add(one);
      }
    }
    put(checkpoint.number(), others);
  }

  /** Forgets the knowledge, which may be wrong: a change has failed half-way. */
  void forget() {
    trusted = false;
    stamp = null;
  }

  /** Ends a hold of the lock, before the lock is given back, unless the process dies. */
  void end() {
    if (current) {
      current = false;
      try {
        if (trusted) {
          count = ChangeCount.isOdd(count) ? store.changes().next(count) : count;
          containers.end();
          stamp = count != ChangeCount.UNKNOWN ? stamp() : null;
        }
      } catch (final IOException e) {
        stamp = null; // a process that finds an odd count looks at all
      }
    }
  }

  // ---- how it gets to know it ----

  private void update() throws IOException {
    if (!current) {
      count = store.changes().read();
      final boolean holds = stamp != null && stamp.equals(stamp());
      stamp = null;
      if (holds) {
        lookAgain();
      } else {
        scan();
      }
      containers.update();
      current = true;
      trusted = true;
    }
  }

  private Stamp stamp() throws IOException {
    return new Stamp(count, FileStatus.of(store.checkpoints().toString()));
  }

  /**
   * Looks again at checkpoints of other processes that may have changed without a trace of it in
   * the directory.
   */
  private void lookAgain() throws IOException {
    final List<CheckpointDirectory> open = new ArrayList<>(uncommitted);
    open.addAll(unreadable.keySet());
    uncommitted.clear();
    unreadable.clear();
    for (final CheckpointDirectory checkpoint : open) {
      if (Files.exists(checkpoint.path(), LinkOption.NOFOLLOW_LINKS)) {
        look(checkpoint, Map.of());
      }
    }
  }

  private void scan() throws IOException {
    final Map<Long, List<Known>> before = new HashMap<>(committed);
    committed.clear();
    superseding.clear();
    uncommitted.clear();
    unreadable.clear();
    containers.clear();
    damage.clear();
    lastSequence = 0;
    last.clear();
    final Map<CheckpointDirectory, LoggedCommit> logged = logs.scan(damage::add);
    for (final CheckpointDirectory checkpoint : store.checkpointDirectories()) {
      if (!logged.containsKey(checkpoint)) {
        look(checkpoint, before);
      }
    }
    logged.values().forEach(one -> add(new Known(one.commit())));
    makeDurable();
  }

  /**
   * Makes the commits durable that may not be, before anything is changed because of them. Where
   * the count is even all are: each process makes its own durable before it counts on. Where it is
   * odd, one that died may not have done that with its last record. Without a count a user may have
   * put manifests there.
   */
  private void makeDurable() throws IOException {
    if (count == ChangeCount.UNKNOWN && !committed.isEmpty()) {
      store.disk().syncFileSystem(store.path());
    } else if (ChangeCount.isOdd(count)) {
      logs.syncOthers();
    }
  }

  private void look(final CheckpointDirectory checkpoint, final Map<Long, List<Known>> before)
      throws IOException {
    if (!checkpoint.isCommitted()) {
      uncommitted.add(checkpoint);
      return;
    }
    final Optional<Known> known =
        before.getOrDefault(checkpoint.number(), List.of()).stream()
            .filter(one -> one.id == checkpoint.commitId())
            .findFirst();
    try {
      add(known.isPresent() ? known.get() : new Known(CommitScan.read(checkpoint)));
    } catch (final DamagedException | FormatVersionException | PosixException e) {
      unreadable.put(checkpoint, e);
    }
  }

  private void add(final Known commit) {
    final List<Known> all = new ArrayList<>(committed.getOrDefault(commit.number, List.of()));
    all.add(commit);
    put(commit.number, all);
    containers.name(commit.containers);
    lastSequence = Math.max(lastSequence, commit.sequence);
    last.add(commit.sequence, commit.id);
  }

  private void put(final long number, final List<Known> commits) {
    if (commits.isEmpty()) {
      committed.remove(number);
    } else {
      committed.put(number, List.copyOf(commits));
    }
    if (supersedes && commits.size() > 1) {
      superseding.add(number);
    } else {
      superseding.remove(number);
    }
  }
}
