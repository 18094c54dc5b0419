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

/**
 * The commit logs of a store: this process's own, and those of others. Every method is called with
 * the store's lock held, under which alone logs are made, written and deleted.
 */
public final class CommitLogs {
  private final StoreDirectory store;

  /** Null while there is none. Others than the holder of the lock only ask whether there is one. */
  private volatile CommitLog own;

  /** Logs of other processes, as they were when all were read last. */
  private final Set<Path> others = new LinkedHashSet<>();

  /** What those had. */
  private final Map<CheckpointDirectory, Path> logged = new HashMap<>();

  /** Whether no log can come back that was deleted, by a process that was killed maybe. */
  private boolean namesDurable;

  // It was said that directories lack something. Each commit tries again: a full disk would say it
  // as often.
  private boolean behind;

  public CommitLogs(final StoreDirectory store) {
    this.store = store;
  }

  /** Any thread. */
  public boolean isOpen() {
    return own != null;
  }

  /** What all logs have. What is damaged of one is told. */
  static Map<CheckpointDirectory, LoggedCommit> read(
      final StoreDirectory store, final Consumer<IOException> damage) throws IOException {
    final Map<CheckpointDirectory, LoggedCommit> commits = new LinkedHashMap<>();
    for (final Path log : store.logFiles()) {
      try {
        final LogContent content = LogContent.read(log);
        content.commits().forEach(commit -> commits.put(commit.directory(store), commit));
        content.damage().forEach(damage);
      } catch (final IOException e) {
        if (exists(log)) { // else what it had is durable without it
          damage.accept(e);
        }
      }
    }
    return commits;
  }

  private static boolean exists(final Path log) {
    return Files.exists(log, LinkOption.NOFOLLOW_LINKS);
  }

  /** The same, to know which logs others have. */
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

  /** Makes the records of others durable, so that one may count on what they say. */
  public void syncOthers() throws IOException {
    for (final Path log : Set.copyOf(logged.values())) {
      try (NativeFile file = store.disk().open(log, Flag.WRITE)) {
        file.syncAll();
      }
    }
  }

  /** Ends the logs of dead processes. One that cannot be ended now keeps what it has. */
  public void recover() {
    for (final Path log : List.copyOf(others)) {
      try {
        if (StoreDirectory.isUnlocked(log)) {
          others.remove(log);
          end(log);
        }
      } catch (final IOException e) {
        Speaker.say("a commit log stays: " + e.getMessage());
      }
    }
  }

  /** Makes durable without it what a log has, and deletes it. */
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

  /** It has lost its name. */
  private void forget(final Path log) throws IOException {
    store.disk().syncDirectory(store.logs(), FaultPoint.DIRECTORY_FSYNC);
    others.remove(log);
    logged.values().removeIf(log::equals);
  }

  /** The damaged logs that nobody writes. Logs of another version are not damaged. */
  public List<Path> damaged() throws IOException {
    return store.logFiles().stream().filter(CommitLogs::isDamaged).toList();
  }

  /** One that cannot be read stays; each scan tells of it. */
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
   * Makes durable without it what can be read of a damaged log, and gives it a name that does not
   * count. A checkpoint whose record is damaged is there still if its directory has followed.
   */
  public void setAside(final Path log) throws IOException {
    writeDown(LogContent.read(log).commits());
    store.disk().syncFileSystem(store.path());
    store.disk().rename(log, store.setAside(log), null);
    forget(log);
  }

  /**
   * To be called before a checkpoint or a container goes: after a power cut a log that was deleted
   * would bring back what it had.
   */
  public void makeNamesDurable() throws IOException {
    if (!namesDurable && exists(store.logs())) {
      store.disk().syncDirectory(store.logs(), null);
    }
    namesDurable = true;
  }

  /** Lets the record of a checkpoint, if there is one, count no more. */
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
   * Ends this process's log, which cannot be written to. If it cannot be ended now, it is as one of
   * a dead process.
   */
  private void giveUp(final IOException why) throws IOException {
    Speaker.say("commits take longer from here on: " + why.getMessage());
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

  /** For a commit, which needs no log. */
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

  /**
   * Commits a checkpoint by a record.
   *
   * @return false when there is no log that can take it; nothing has changed then
   * @throws IOException when that fails; it is not committed
   */
  public boolean append(
      final CheckpointDirectory directory, final byte[] manifest, final byte[] index)
      throws IOException {
    if (!findOwn() || !own.takes(manifest, index)) {
      return false;
    }
    try {
      own.makeRoom(manifest, index);
    } catch (final IOException e) {
      tryGiveUp(e);
      return false;
    }
    try {
      own.append(directory, manifest, index);
      return true;
    } catch (final IOException e) {
      own = null;
      namesDurable = false;
      throw e;
    }
  }

  /** Lets the directories of what was committed follow; false when one cannot yet. */
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

  /** Ends this process's log. */
  public void close() throws IOException {
    if (findOwn()) {
      final CommitLog ended = own;
      own = null;
      ended.delete();
    }
  }
}
