package org.sluice.core.store.stage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.sluice.core.store.disk.NoStoreException;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.node.PosixStore;
import org.sluice.core.store.stage.StageReport.State;

/**
 * What a run that is over has on a node's stage, and the bucket has not.
 *
 * @param directory the node's own store
 * @param uncopied what was to leave the node, or could have been the run's newest
 * @param local what was to stay there, as a newer one of the run is in the bucket
 */
public record StageRemains(Path directory, List<Commit> uncopied, List<Commit> local) {
  /** What the log of the bucket says. */
  @FunctionalInterface
  public interface Counts {
    /**
     * Whether a commit is a part of a checkpoint that counts.
     *
     * @param place where the node's own store is
     * @param commit one of its commits
     * @return whether all nodes have it
     * @throws IOException when that cannot be told
     */
    boolean has(StagePlace place, Commit commit) throws IOException;
  }

  /**
   * Looks at a node's own store. The log is asked only of what the store does not know to count.
   *
   * @param own its directory
   * @param counts asks the log
   * @return commits, the oldest first
   * @throws IOException when it cannot be told; nothing of it may be deleted then
   */
  public static StageRemains of(final Path own, final Counts counts) throws IOException {
    final List<Commit> commits = commits(own);
    final Map<Long, State> said = new HashMap<>();
    StageReport.read(own).forEach(line -> said.put(line.commit(), line.state()));
    final StagePlace place = StagePlace.of(own).orElseThrow();
    final List<Commit> left = new ArrayList<>();
    long newest = Long.MIN_VALUE;
    for (final Commit commit : commits) {
      if (said.get(commit.id()) != State.SHARED && !counts.has(place, commit)) {
        left.add(commit);
      } else {
        newest = commit.sequence();
      }
    }
    final List<Commit> local = new ArrayList<>();
    for (final Commit commit : left) {
      if (said.get(commit.id()) == State.LOCAL && commit.sequence() < newest) {
        local.add(commit);
      }
    }
    left.removeAll(local);
    return new StageRemains(own, left, local);
  }

  /** What cannot be read may be what is needed. */
  private static List<Commit> commits(final Path own) throws IOException {
    final List<IOException> damage = new ArrayList<>();
    final List<Commit> commits;
    try (PosixStore store = PosixStore.open(own)) {
      commits = new ArrayList<>(store.commits(damage::add));
    } catch (final NoStoreException none) {
      return List.of();
    }
    if (!damage.isEmpty()) {
      throw damage.getFirst();
    }
    commits.sort(Comparator.comparingLong(Commit::sequence));
    return commits;
  }
}
