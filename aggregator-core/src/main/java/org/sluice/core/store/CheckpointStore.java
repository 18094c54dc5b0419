package org.sluice.core.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
   * Makes this node the one that writes the store; to be called before anything of a checkpoint is
   * written. Doing it again does nothing.
   *
   * @throws OtherNodeException when another node writes it
   * @throws IOException when that fails
   */
  void claim() throws IOException;

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
   * Deletes a container, unless a committed checkpoint refers to it or a process still appends to
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
   * Keeps in mind where a session has left files that no checkpoint has.
   *
   * @param left in place of what an earlier session left
   * @throws IOException when that fails
   */
  void leftAsFiles(LeftAsFiles left) throws IOException;

  /**
   * Where a session has left files that no checkpoint has.
   *
   * @return the last one's; empty for none
   * @throws IOException when that fails
   */
  Optional<LeftAsFiles> leftAsFiles() throws IOException;

  /**
   * Says that the open containers and image files are in use. Others leave them alone for a minute
   * after that even when this process is killed. To be called every few seconds; any thread.
   *
   * @throws IOException when that fails
   */
  void renew() throws IOException;

  /**
   * Deletes all containers that no committed checkpoint refers to and no process appends to, also
   * those of other sessions.
   *
   * @throws IOException when that fails
   */
  void discardSpares() throws IOException;

  /**
   * Creates an empty file for an image of a checkpoint in the making. It is nobody's garbage while
   * it is open.
   *
   * @return open for writing; the caller closes and deletes it, after the commit at the latest
   * @throws IOException when that fails
   */
  NativeFile createImageFile() throws IOException;

  /**
   * Takes over an image file of a session that goes on.
   *
   * @param file what {@link #createImageFile} returned in a killed process, opened again; nothing
   *     is done with any other file
   * @throws IOException when that fails
   */
  void keepImageFile(NativeFile file) throws IOException;

  /**
   * Removes what no committed checkpoint needs and no live process uses: what is left of commits
   * and removals that were cut short, of checkpoints that were committed again, of images never
   * committed, and spare containers.
   *
   * @param dryRun only finds it
   * @param unreadable told of each manifest that is damaged or of another version; while there is
   *     one all containers stay, since it might name any. Told besides of what is no file where
   *     only files of this store belong, and stays
   * @return what it was
   * @throws IOException when that fails
   */
  List<Leftover> collectGarbage(boolean dryRun, Consumer<IOException> unreadable)
      throws IOException;

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
   * The numbers of all committed checkpoints, those included that are damaged or of another
   * version.
   *
   * @return in ascending order
   * @throws IOException when they cannot be listed
   */
  Set<Long> numbers() throws IOException;

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
    return newest(commits());
  }

  /**
   * The one of some checkpoints that was committed last; what no group took only if there is no
   * other.
   *
   * @param commits the one committed first first
   * @return empty when there is none
   */
  static Optional<Commit> newest(final List<Commit> commits) {
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
   * Removes a committed checkpoint, its manifest first and durably, and before it what it
   * superseded.
   *
   * @param commit one of {@link #commits()}
   * @return false when a process {@linkplain #whileHeld reads} it: it stays then
   * @throws IOException when that fails; what is left of it is not committed, or it still is
   */
  default boolean remove(final Commit commit) throws IOException {
    return remove(commit, () -> true);
  }

  /** What comes right before a removal that nothing else prevents any more. */
  @FunctionalInterface
  interface Farewell {
    /**
     * Does it.
     *
     * @return false when the checkpoint is to stay after all
     * @throws IOException when that fails; the checkpoint stays
     */
    boolean run() throws IOException;
  }

  /**
   * As {@link #remove(Commit)}.
   *
   * @param commit one of {@link #commits()}
   * @param farewell called while nobody reads the checkpoint nor can begin to
   * @return false when a process reads it, or it is to stay
   * @throws IOException when that fails
   */
  boolean remove(Commit commit, Farewell farewell) throws IOException;

  /**
   * Removes the committed checkpoints of a number that are damaged or of another version.
   *
   * @param number their number
   * @return false when a process reads one: it stays then
   * @throws IOException when that fails
   */
  boolean removeUnreadable(long number) throws IOException;

  /**
   * The images of a committed checkpoint.
   *
   * @param commit one of {@link #commits()}
   * @return in no particular order
   * @throws IOException when that fails
   */
  List<CommittedImage> images(Commit commit) throws IOException;

  /**
   * Gives every checkpoint that shares an image's own file a copy of it, durably, so that the file
   * may change from here on.
   *
   * @param file an image's own file
   * @throws IOException when that fails; it must not change then
   */
  void unshare(NativeFile file) throws IOException;

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
   * Whose a checkpoint is: who has the store, and who could have written what it consists of.
   *
   * @param commit one of {@link #commits()}
   * @return users' names by their numbers
   * @throws IOException when that cannot be told
   */
  Map<Integer, String> owners(Commit commit) throws IOException;

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
