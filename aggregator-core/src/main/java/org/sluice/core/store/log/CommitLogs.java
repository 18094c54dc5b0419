package org.sluice.core.store.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.posix.Speaker;
import org.sluice.core.store.directory.CheckpointDirectory;
import org.sluice.core.store.directory.StoreDirectory;
import org.sluice.core.store.format.LogDescriptor;
import org.sluice.core.store.format.LogRecord;

/**
 * The commit logs of a store: this process's own, and those of others. Every method is called with
 * the store's lock held. Logs are made, written and deleted only under it.
 */
public final class CommitLogs {
  private final StoreDirectory store;

  /**
   * The log of this process; null while there is none. A caller without the lock only asks whether
   * there is a log.
   */
  private volatile CommitLog own;

  /** The logs of other processes, as they were when all were read last. */
  private final Set<Path> others = new LinkedHashSet<>();

  /** The checkpoints in those logs. */
  private final Map<CheckpointDirectory, Path> logged = new HashMap<>();

  /**
   * True once no deleted log can come back, not even a log deleted by a process that was killed.
   */
  private boolean namesDurable;

  // True once the user was told that directories lack files. Each commit tries again: a full disk
  // would repeat the message as often.
  private boolean behind;

  public CommitLogs(final StoreDirectory store) {
    this.store = store;
  }

  /** Returns whether this process has a log. Any thread. */
  public boolean isOpen() {
    return own != null;
  }

  /** Returns the commits of all logs. Damage of a log is told. */
  static Map<CheckpointDirectory, LoggedCommit> read(
      final StoreDirectory store, final Consumer<IOException> damage) throws IOException {
    final Map<CheckpointDirectory, LoggedCommit> commits = new LinkedHashMap<>();
    for (final Path log : store.logFiles()) {
      try {
        final LogContent content = LogContent.read(log);
        content.commits().forEach(commit -> commits.put(commit.directory(store), commit));
        content.damage().forEach(damage);
      } catch (final IOException e) {
        if (exists(log)) { // else its commits are durable without it
          damage.accept(e);
        }
      }
    }
    return commits;
  }

  private static boolean exists(final Path log) {
    return Files.exists(log, LinkOption.NOFOLLOW_LINKS);
  }

  /** Returns the commits of all logs, and remembers which logs others have. */
  public Map<CheckpointDirectory, LoggedCommit> scan(final Consumer<IOException> damage)
      throws IOException {
    final Map<CheckpointDirectory, LoggedCommit> commits = read(store, damage);
    namesDurable = false;
    others.clear();
    logged.clear();
    others.addAll(store.logFiles());
    if (own != null) {
      others.remove(own.path());
    }
    commits.forEach(
        (directory, commit) -> {
          if (others.contains(commit.log())) {
            logged.put(directory, commit.log());
          }
        });
    return commits;
  }

  /** Makes the records of others durable, so that a caller may rely on them. */
  public void syncOthers() throws IOException {
    for (final Path log : Set.copyOf(logged.values())) {
      try (NativeFile file = store.disk().open(log, Flag.WRITE)) {
        file.syncAll();
      }
    }
  }

  /**
   * Ends the logs of dead processes; false where one cannot be ended now, and keeps its records.
   */
  public boolean recover() {
    boolean all = true;
    for (final Path log : List.copyOf(others)) {
      try {
        if (StoreDirectory.isUnlocked(log)) {
          others.remove(log);
          end(log);
        }
      } catch (final IOException e) {
        all = false;
        Speaker.say("a commit log stays: " + e.getMessage());
      }
    }
    return all;
  }

  /** Makes the commits of a log durable without it, and deletes it. */
  private void end(final Path log) throws IOException {
    if (exists(log)) {
      final LogContent content = LogContent.read(log);
      final List<LoggedCommit> commits = content.commits();
      for (final IOException damage : content.damage()) {
        throw damage;
      }
      writeDown(commits);
      store.disk().delete(log, null);
    }
    forget(log);
  }

  private void writeDown(final List<LoggedCommit> commits) throws IOException {
    for (final LoggedCommit commit : commits) {
      final CheckpointDirectory directory = commit.directory(store);
      directory.write(commit.record().manifest(), commit.record().index());
      directory.sync();
    }
    store.disk().syncDirectory(store.checkpoints(), null);
  }

  /** Forgets a log that has lost its name. */
  private void forget(final Path log) throws IOException {
    store.disk().syncDirectory(store.logs(), FaultPoint.DIRECTORY_FSYNC);
    others.remove(log);
    logged.values().removeIf(log::equals);
  }

  /** Returns the damaged logs that nobody writes. Logs of another version are not damaged. */
  public List<Path> damaged() throws IOException {
    return store.logFiles().stream().filter(CommitLogs::isDamaged).toList();
  }

  /**
   * Returns whether a log is damaged and nobody writes it. An unreadable log is not set aside; each
   * scan tells of it.
   */
  private static boolean isDamaged(final Path log) {
    try {
      if (!StoreDirectory.isUnlocked(log)) {
        return false;
      }
      final LogContent content = LogContent.read(log);
      content.commits();
      return !content.damage().isEmpty()
          && content.damage().stream().allMatch(DamagedException.class::isInstance);
    } catch (final IOException e) {
      return false;
    }
  }

  /**
   * Makes the readable commits of a damaged log durable without it, and gives the log a name that
   * does not count. A checkpoint whose record is damaged is still there if its directory has
   * followed.
   */
  public void setAside(final Path log) throws IOException {
    writeDown(LogContent.read(log).commits());
    store.disk().syncFileSystem(store.path());
    store.disk().rename(log, store.setAside(log), null);
    forget(log);
  }

  /**
   * Makes the names of logs durable, before a checkpoint or a container is deleted. After a power
   * cut a deleted log would bring back its records.
   */
  public void makeNamesDurable() throws IOException {
    if (!namesDurable && exists(store.logs())) {
      store.disk().syncDirectory(store.logs(), null);
    }
    namesDurable = true;
  }

  /** Retires the record of a checkpoint, if there is one: it counts no more. */
  public void retire(final CheckpointDirectory directory) throws IOException {
    makeNamesDurable();
    final Path log = logged.get(directory);
    if (log != null) {
      end(log);
    }
    if (findOwn()) {
      try {
        own.retire(directory);
      } catch (final IOException e) {
        giveUp(e);
      }
    }
  }

  private boolean findOwn() throws IOException {
    if (own != null && own.isGone()) {
      own.close();
      own = null;
    }
    return own != null;
  }

  /**
   * Ends this process's log, which cannot be written to. If it cannot be ended now, it is treated
   * as the log of a dead process.
   */
  private void giveUp(final IOException why) throws IOException {
    Speaker.say("a commit log makes way for another one: " + why.getMessage());
    final CommitLog lost = own;
    own = null;
    namesDurable = false;
    try {
      lost.delete();
    } catch (final IOException e) {
      others.add(lost.path());
      lost.commits().forEach(directory -> logged.put(directory, lost.path()));
      throw e;
    }
  }

  /** Ends this process's log for a commit, which needs no log. */
  private void tryGiveUp(final IOException why) {
    try {
      giveUp(why);
    } catch (final IOException e) {
      Speaker.say("a commit log stays: " + e.getMessage());
    }
  }

  /** Makes this process's log ready for the next commits. */
  public void prepare() throws IOException {
    if (!findOwn()) {
      own = CommitLog.create(store);
    }
    own.settle();
    try {
      own.lapEarly();
    } catch (final IOException e) {
      giveUp(e);
    }
  }

  /** Returns whether a record of some bytes has room in a log, if only in a lap of its own. */
  public boolean takes(final byte[] manifest, final byte[] index) {
    return LogRecord.length(manifest, index)
        <= store.disk().logLength() - LogDescriptor.BLOCK_LENGTH;
  }

  /**
   * Commits a checkpoint by a record that a log {@linkplain #takes takes}.
   *
   * @param index empty where it is in the directory, durably
   * @throws IOException when that fails; it is not committed
   */
  public void append(final CheckpointDirectory directory, final byte[] manifest, final byte[] index)
      throws IOException {
    makeRoom(manifest, index);
    try {
      own.append(directory, manifest, index);
    } catch (final IOException e) {
      if (exists(own.path())) { // neither a mark nor a deletion is durable
        others.add(own.path());
        logged.put(directory, own.path());
      }
      own = null;
      namesDurable = false;
      throw e;
    }
  }

  /** Returns whether a record may count that names a checkpoint, in a log of others. */
  public boolean mayHave(final CheckpointDirectory directory) {
    return logged.containsKey(directory);
  }

  /** A log that can begin no lap, as a directory cannot follow, makes way for another one. */
  private void makeRoom(final byte[] manifest, final byte[] index) throws IOException {
    if (findOwn()) {
      try {
        own.makeRoom(manifest, index);
        return;
      } catch (final IOException e) {
        tryGiveUp(e);
      }
    }
    own = CommitLog.create(store);
  }

  /**
   * Writes the directories of the committed checkpoints. Returns false when a directory cannot be
   * written yet.
   */
  public boolean follow() {
    try {
      if (findOwn()) {
        own.follow();
      }
      behind = false;
      return true;
    } catch (final IOException e) {
      if (!behind) {
        Speaker.say(
            "what was committed stays in the commit log, and later commits try again: "
                + e.getMessage());
      }
      behind = true;
      return false;
    }
  }

  public void close() throws IOException {
    if (findOwn()) {
      final CommitLog ended = own;
      own = null;
      ended.delete();
    }
  }
}
