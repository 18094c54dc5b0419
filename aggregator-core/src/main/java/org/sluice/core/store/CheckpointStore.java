package org.sluice.core.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.posix.NativeFile;

/**
 * Where checkpoints are kept. What {@link #commits()} lists is complete and durable; nothing else
 * is ever seen by a restart. Thread-safe; several processes may use one store at a time.
 */
public interface CheckpointStore extends AutoCloseable {
  /**
   * Where it is.
   *
   * @return absolute
   */
  Path directory();

  /**
   * Makes a container: of the blocks of one that nobody needs any more, or else a new one. Blocks
   * that were written before take others faster than new ones.
   *
   * @param sessionId the session whose chunks it takes
   * @param node the node's name
   * @return open for appending; the caller closes it
   * @throws IOException when that fails
   */
  Container createContainer(long sessionId, String node) throws IOException;

  /**
   * Deletes a container, unless a committed checkpoint refers to it or somebody still appends to
   * it.
   *
   * @param containerId its id
   * @return whether it is gone
   * @throws IOException when that fails
   */
  boolean discard(long containerId) throws IOException;

  /**
   * Opens a container of a session that goes on, as {@link #createContainer} left it.
   *
   * @param containerId a container that nobody has open
   * @param sessionId the session
   * @return the container; the caller closes it, and appends nothing
   * @throws DamagedException when it is another one's by now
   * @throws IOException when that fails
   */
  Container resumeContainer(long containerId, long sessionId) throws IOException;

  /**
   * Says that the open containers are in use. Others leave a container alone for a minute after
   * that even when this process is killed. To be called every few seconds; any thread.
   *
   * @throws IOException when that fails
   */
  void renewContainers() throws IOException;

  /**
   * Deletes all containers that no committed checkpoint refers to and nobody appends to, whoever
   * left them.
   *
   * @throws IOException when that fails
   */
  void discardSpares() throws IOException;

  /**
   * Creates an empty file for an image of a checkpoint in the making.
   *
   * @return its absolute path; the caller deletes it, after the commit at the latest
   * @throws IOException when that fails
   */
  Path createImageFile() throws IOException;

  /**
   * Commits a checkpoint: on return it is on stable storage and supersedes any older one of its
   * number. The containers of its chunks must be open still, and this store's. Of containers that
   * nobody needs any more, as many as it has stay for the next one.
   *
   * @param draft the checkpoint
   * @param durable told of it as soon as it is on stable storage, before what it supersedes is
   *     deleted; not called when the commit fails
   * @throws IOException when that fails; then nothing is committed
   */
  void commit(Draft draft, Consumer<Commit> durable) throws IOException;

  /**
   * The committed checkpoints, at most one of each number.
   *
   * @param unreadable told of each that is damaged or of another version
   * @return the others, the one committed first first
   * @throws IOException when they cannot be listed
   */
  List<Commit> commits(Consumer<IOException> unreadable) throws IOException;

  /**
   * The committed checkpoints, at most one of each number.
   *
   * @return the one committed first first
   * @throws IOException when they cannot be listed, or one is damaged or of another version
   */
  default List<Commit> commits() throws IOException {
    final List<IOException> failures = new ArrayList<>();
    final List<Commit> commits = commits(failures::add);
    if (!failures.isEmpty()) {
      throw failures.getFirst();
    }
    return commits;
  }

  /**
   * A committed checkpoint.
   *
   * @param number its number
   * @return empty when there is none of this number
   * @throws IOException when it is damaged or of another version
   */
  Optional<Commit> find(long number) throws IOException;

  /**
   * The checkpoint committed last; what no group took only if there is no other.
   *
   * @return empty when nothing is committed
   * @throws IOException as {@link #commits()}: what cannot be read might be the newest
   */
  default Optional<Commit> newest() throws IOException {
    final List<Commit> commits = commits();
    return commits.stream()
        .filter(commit -> !commit.ungrouped())
        .reduce((earlier, later) -> later)
        .or(() -> commits.stream().reduce((earlier, later) -> later));
  }

  /**
   * Reads a checkpoint, which nobody removes meanwhile.
   *
   * @param commit one of {@link #commits()}
   * @param reading reads it
   * @return false when the checkpoint has been removed; then nothing was read
   * @throws IOException when that fails, or {@code reading} does
   */
  boolean whileHeld(Commit commit, Reading reading) throws IOException;

  /** Something that reads a checkpoint. */
  @FunctionalInterface
  interface Reading {
    /**
     * Reads it.
     *
     * @throws IOException when that fails
     */
    void run() throws IOException;
  }

  /**
   * Removes a committed checkpoint, its manifest first and durably.
   *
   * @param commit one of {@link #commits()}
   * @return false when somebody {@linkplain #whileHeld reads} it: it stays then
   * @throws IOException when that fails; what is left of it is not committed, or it still is
   */
  boolean remove(Commit commit) throws IOException;

  /**
   * The images of a committed checkpoint.
   *
   * @param commit one of {@link #commits()}
   * @return in no particular order
   * @throws IOException when that fails
   */
  List<CommittedImage> images(Commit commit) throws IOException;

  /**
   * Lays what chunks in containers hold of an image over newer chunks. Every byte is verified.
   *
   * @param sessionId the session that wrote the chunks
   * @param chunks in program order
   * @param overlay has taken what is newer
   * @throws IOException when that fails
   */
  void overlay(long sessionId, List<ChunkLocation> chunks, ImageOverlay overlay) throws IOException;

  /**
   * Rebuilds an image: its own file overlaid with its logged extents in program order. Every byte
   * is verified on the way.
   *
   * @param commit the checkpoint it belongs to
   * @param image one of {@link #images(Commit)}
   * @param target an empty file, open for writing; its mode is left alone
   * @throws DamagedException when something it consists of is damaged
   * @throws IOException when that fails; the target then holds anything
   */
  void rebuild(Commit commit, CommittedImage image, NativeFile target) throws IOException;

  /**
   * Checks everything a checkpoint consists of.
   *
   * @param commit one of {@link #commits()}
   * @param damage told of everything that is damaged or of another version
   * @param progress told of bytes checked since it was last told
   * @throws IOException when something cannot be read
   */
  void verify(Commit commit, Consumer<IOException> damage, LongConsumer progress)
      throws IOException;

  @Override
  void close() throws IOException;
}
