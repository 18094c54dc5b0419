package org.sluice.core.store.stage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.sluice.core.store.disk.NoStoreException;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.node.PosixStore;
import org.sluice.core.store.stage.StageReport.State;

/** The checkpoints of a finished run that only a node's stage has. */
public final class StageRemains {
  private StageRemains() {}

  /** The view of the bucket's log. */
  @FunctionalInterface
  public interface Counts {
    boolean has(StagePlace place, Commit commit) throws IOException;
  }

  /**
   * Finds commits newer than all that the run has in the bucket. The newest in the bucket makes
   * those before it superfluous, for whatever reason they were not copied.
   *
   * @param counts view of the log, asked from the newest commit to the first that counts
   * @return commits, the oldest first
   * @throws IOException when that cannot be found out; no commit may be deleted then
   */
  public static List<Commit> uncopied(final Path own, final Counts counts) throws IOException {
    final Set<Long> shared = new HashSet<>(); // some may have been removed from the bucket since
    for (final StageReport.Line line : StageReport.read(own)) {
      if (line.state() == State.SHARED) {
        shared.add(line.commit());
      }
    }
    final StagePlace place = StagePlace.of(own).orElseThrow();
    final List<Commit> commits = commits(own);
    int first = commits.size();
    while (first > 0
        && !shared.contains(commits.get(first - 1).id())
        && !counts.has(place, commits.get(first - 1))) {
      first--;
    }
    return commits.subList(first, commits.size());
  }

  /** Returns the commits of a store; fails on damage, as an unreadable commit may be needed. */
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
    commits.sort(Comparator.comparingLong(commit -> commit.identity().sequence()));
    return commits;
  }
}
