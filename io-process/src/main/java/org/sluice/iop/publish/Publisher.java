package org.sluice.iop.publish;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.sluice.core.store.directory.Farewell;
import org.sluice.core.store.directory.RememberedGrouping;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.Origin;
import org.sluice.core.store.model.RankSet;
import org.sluice.core.store.node.CheckpointReader;
import org.sluice.core.store.node.PosixStore;
import org.sluice.core.store.series.FencedException;
import org.sluice.core.store.series.RequiredRanks;

/**
 * The place where a commit of this node's store counts. A commit counts there at once, in a series
 * once the nodes of all ranks have committed, or in a bucket once it is copied. Questions about the
 * kind are for any thread, and so is reading; all else is for the service thread, unless a method
 * says otherwise.
 */
public interface Publisher extends AutoCloseable {
  /** Reads checkpoints by what it is given, which it does not close. */
  @FunctionalInterface
  interface Reading<T> {
    T of(CheckpointReader reader) throws IOException;
  }

  /**
   * @param store the store, which stays the caller's
   */
  static Publisher ofNode(final PosixStore store) {
    return new NodePublisher(store);
  }

  /** Returns whether other nodes may have parts of the checkpoints. */
  boolean hasNodes();

  /** Returns whether a commit counts only once the nodes of all ranks have committed. */
  boolean awaitsNodes();

  /** Returns whether the node's own store is a stage, from which checkpoints are copied. */
  boolean hasStage();

  /** The name of the launch that the session is of; empty where nodes keep no log. */
  Optional<String> run();

  /** Has all nodes agree on the files that a user says are one node's. */
  void checkPrivateFiles();

  // ---- what is there before the session ----

  /** The numbers of earlier runs' checkpoints that other nodes may have, too. */
  LongStream numbersBefore();

  /** Returns where the newest checkpoint of a number is from. */
  Origin origin(long number) throws IOException;

  /**
   * Tells whether a checkpoint counted before the session.
   *
   * @param leaving the checkpoints that a former I/O process was copying
   */
  LongPredicate committedBefore(Set<Long> leaving) throws IOException;

  /**
   * The newest checkpoints from before the session, on the node that is to tell of them.
   *
   * @param own what the node's store has
   */
  List<Commit> newestBefore(List<Commit> own) throws IOException;

  /**
   * Returns how many checkpoints counted before the session, where the node's store has {@code
   * own}.
   */
  long countBefore(List<Commit> own);

  /** Returns the remembered rule by which files are one checkpoint, where it was found out. */
  RememberedGrouping grouping();

  // ---- a commit ----

  /** Refuses a commit that could never count. Last stage. */
  void check() throws FencedException;

  /**
   * Publishes a commit that the node's store has. Last stage.
   *
   * @param growth how many times it was decided before in that round
   * @param required the ranks whose parts make it whole
   * @param counts told, on another thread, where it counts only from then on
   * @param refused told, on another thread, where it will not count
   */
  void publish(
      Commit commit,
      long round,
      long growth,
      RequiredRanks required,
      Runnable counts,
      Consumer<IOException> refused)
      throws IOException;

  /** Returns whether a commit of this node's store counts. */
  boolean counts(Commit commit) throws IOException;

  /** A process waits for a checkpoint. */
  void hurry(long number);

  /** The ranks whose parts a checkpoint waits for, as far as this node has looked. */
  RankSet missing(long number);

  /** Reads what a restart sees, of all nodes. */
  <T> T read(Reading<T> reading) throws IOException;

  /** Returns whether waits, and so reads, are content with the checkpoints on this node's stage. */
  boolean isContentWithStage();

  /** Reads what a restart sees that was copied to the bucket, be it by an earlier run. */
  <T> T readBucket(Reading<T> reading) throws IOException;

  // ---- removal, on the last stage ----

  /**
   * Removes a commit of this session. The commit ceases to count before anything of it is deleted.
   *
   * @param farewell called where the commit is to go, and may prevent it
   * @return false where it stays
   */
  boolean remove(Commit commit, Farewell farewell) throws IOException;

  /** The checkpoints of earlier sessions that count. */
  List<Commit> earlier(long sessionId) throws IOException;

  /** The same of a checkpoint of an earlier run. */
  boolean removeEarlier(Commit commit, Farewell farewell) throws IOException;

  /** The images that a checkpoint of an earlier run has, on all nodes. */
  List<CommittedImage> imagesOf(Commit commit) throws IOException;

  // ---- the way to a bucket, and the end ----

  /** Returns the uploads from the node's store. Any thread. */
  Uploads uploads();

  /** Returns why no commit counts any more; empty while commits do. */
  Optional<FencedException> fence();

  /** The session ends: a commit whose parts do not come is given up after a while. */
  void endCommits();

  /** Returns for how many nanoseconds a session that ends waits for nodes that do nothing yet. */
  long patience();

  /** The session has to be over by a time of {@link System#nanoTime}. */
  void limit(long deadline);

  /** The last entry of the log that this node has read, once this is closed. */
  long lastEntry();

  @Override
  void close() throws IOException;
}
