package org.sluice.core.store.node;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.fault.Fault.Step;
import org.sluice.core.store.directory.LeftAsFiles;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.Rebuilder;

/**
 * A store as a restart sees it. All that {@link #commits()} lists is complete and durable; nothing
 * else is ever seen by a restart. Several processes may use one store at a time.
 */
public interface CheckpointReader extends AutoCloseable {
  /** Returns an absolute path, or a URI. */
  String store();

  /** Returns the name of the series; empty in a store of one node, which has none. */
  default Optional<String> series() {
    return Optional.empty();
  }

  /** Returns where the last session has left files that no checkpoint has; empty for none. */
  Optional<LeftAsFiles> leftAsFiles() throws IOException;

  /**
   * The committed checkpoints, at most one of each number.
   *
   * @param unreadable told of each that is damaged or of another version
   * @return the others, the one committed first first
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
   * Returns the numbers of all committed checkpoints in ascending order, those included that are
   * damaged or of another version.
   */
  Set<Long> numbers() throws IOException;

  /**
   * @return empty when there is none of this number
   * @throws IOException when it is damaged or of another version, or when there is none and a
   *     damaged record of a log might be it
   */
  Optional<Commit> find(long number) throws IOException;

  /**
   * The checkpoint committed last of those that no file joined since; what no group took only if
   * there is no other.
   *
   * @return empty when there is none
   * @throws IOException when they cannot be listed, or what cannot be read might be the newest
   */
  default Optional<Commit> newest() throws IOException {
    final List<IOException> unreadable = new ArrayList<>();
    return beyondDoubt(newest(commits(unreadable::add)), unreadable);
  }

  /**
   * Returns the checkpoint of a name that was committed last; empty when there is none. Others of
   * that name have their numbers.
   *
   * @throws IOException when they cannot be listed, or what cannot be read might be that one
   */
  default Optional<Commit> find(final String name) throws IOException {
    final List<IOException> unreadable = new ArrayList<>();
    final Optional<Commit> found =
        commits(unreadable::add).stream()
            .filter(commit -> commit.name().filter(name::equals).isPresent())
            .reduce((earlier, later) -> later);
    return beyondDoubt(found, unreadable);
  }

  private Optional<Commit> beyondDoubt(
      final Optional<Commit> found, final List<IOException> unreadable) throws IOException {
    for (final IOException doubt :
        unreadable.isEmpty() || found.isEmpty() ? unreadable : doubts(found.get())) {
      throw doubt;
    }
    return found;
  }

  /** Whatever cannot be read, but for what was certainly committed before a commit. */
  List<IOException> doubts(Commit commit) throws IOException;

  /**
   * Reads a checkpoint, which nobody removes meanwhile; false when the checkpoint has been removed;
   * then nothing was read.
   */
  boolean whileHeld(Commit commit, Step<IOException> reading) throws IOException;

  /** Checks what belongs to no checkpoint. */
  default void verifyStore(final Consumer<IOException> damage) throws IOException {}

  /** Checkpoints that were committed and count no more, though nobody removed them. */
  default List<DamagedException> lost() throws IOException {
    return List.of();
  }

  List<CommittedImage> images(Commit commit) throws IOException;

  /**
   * Returns whose a checkpoint is: users' names by their numbers, of the store's owner and of all
   * who could have written what it consists of.
   */
  Map<Integer, String> owners(Commit commit) throws IOException;

  /**
   * Returns whether it can be told whose checkpoints are; false where each user who may write there
   * could have written them.
   */
  default boolean knowsOwners() {
    return true;
  }

  /** Returns a rebuilder of a checkpoint's images for one thread; the caller closes it. */
  Rebuilder rebuilder(Commit commit, boolean oneOfSeveral);

  /**
   * @param damage told of everything that is damaged or of another version
   * @param progress told of bytes checked since it was last told
   */
  void verify(Commit commit, Consumer<IOException> damage, LongConsumer progress)
      throws IOException;

  /**
   * The one of some checkpoints that was committed last and that no file joined since; empty when
   * there is none.
   */
  static Optional<Commit> newest(final List<Commit> commits) {
    return commits.stream()
        .filter(commit -> !commit.incomplete())
        .reduce((earlier, later) -> later);
  }

  @Override
  void close() throws IOException;
}
