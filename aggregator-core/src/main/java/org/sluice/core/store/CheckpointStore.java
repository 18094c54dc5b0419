package org.sluice.core.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
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
   * Creates a container.
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
   * Creates an empty file for an image of a checkpoint in the making.
   *
   * @return its absolute path; the caller deletes it, after the commit at the latest
   * @throws IOException when that fails
   */
  Path createImageFile() throws IOException;

  /**
   * Commits a checkpoint: on return it is on stable storage and supersedes any older one of its
   * number. The containers of its chunks must be open still.
   *
   * @param draft the checkpoint
   * @return what was committed
   * @throws IOException when that fails; then nothing is committed
   */
  Commit commit(Draft draft) throws IOException;

  /**
   * The committed checkpoints, at most one of each number.
   *
   * @return the one committed first first
   * @throws IOException when that fails
   */
  List<Commit> commits() throws IOException;

  /**
   * The checkpoint committed last; number 0 only if there is no other.
   *
   * @return empty when nothing is committed
   * @throws IOException when that fails
   */
  default Optional<Commit> newest() throws IOException {
    final List<Commit> commits = commits();
    return commits.stream()
        .filter(commit -> commit.number() != 0)
        .reduce((earlier, later) -> later)
        .or(() -> commits.stream().findFirst());
  }

  /**
   * The images of a committed checkpoint.
   *
   * @param commit one of {@link #commits()}
   * @return in no particular order
   * @throws IOException when that fails
   */
  List<CommittedImage> images(Commit commit) throws IOException;

  /**
   * Rebuilds an image: its own file overlaid with its logged extents in program order. Every byte
   * is verified on the way.
   *
   * @param commit the checkpoint it belongs to
   * @param image one of {@link #images(Commit)}
   * @param target an empty file, open for writing; its mode is left alone
   * @throws IOException when that fails; the target then holds anything
   */
  void rebuild(Commit commit, CommittedImage image, NativeFile target) throws IOException;

  @Override
  void close() throws IOException;
}
