package org.sluice.iop.checkpoint;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.sluice.core.libc.Errno;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Failure;

/**
 * Groups that would be committed behind another one whose last file was closed later, and so be
 * taken for the newest. Only a marker may do that: with it their program says that they are
 * complete. Service thread only.
 */
public final class Latecomers {
  /** The error by which a latecomer is not committed. No byte is lost by that. */
  private static final int OVERTAKEN = Errno.ESTALE;

  private final CheckpointState state;
  private final boolean marked;
  private final UncapturedFiles uncaptured;

  /** The numbers of groups that wait for what becomes of commits under way. */
  private final Set<Long> waiting = new HashSet<>();

  public Latecomers(
      final CheckpointState state, final Grouping grouping, final UncapturedFiles uncaptured) {
    this.state = state;
    this.marked = grouping.hasMarkers();
    this.uncaptured = uncaptured;
  }

  /** Returns whether a checkpoint was refused as a latecomer. */
  static boolean isOne(final Entry.Ended end) {
    return end.attempt() == CheckpointState.NO_ATTEMPT && end.errno() == OVERTAKEN;
  }

  /**
   * Returns whether a group is refused as a latecomer, which is said, or has to wait for the end of
   * commits under way.
   */
  public boolean has(final Group group) {
    if (marked) {
      return false;
    }
    final Optional<String> obstacle = obstacle(group, state.latest().stream());
    if (obstacle.isPresent()) {
      uncaptured.refuse(group.number(), new Failure(OVERTAKEN, obstacle.get()));
      return true;
    }
    final boolean waits = obstacle(group, state.storing()).isPresent();
    if (waits) {
      waiting.add(group.number());
    }
    return waits;
  }

  /** A commit has ended; returns the numbers of what may have waited for that. */
  public Set<Long> released() {
    final Set<Long> all = Set.copyOf(waiting);
    waiting.clear();
    return all;
  }

  /** The same at the end, when nothing waits. */
  public Optional<String> obstacleAtEnd(final Group group) {
    return obstacle(group, Stream.concat(state.latest().stream(), state.storing()));
  }

  private static Optional<String> obstacle(final Group group, final Stream<Entry.Stored> others) {
    return others
        .filter(other -> other.checkpoint() != group.number() && other.closed() > group.closed())
        .map(
            other ->
                "checkpoint %d, which was written later, is committed and stays the newest"
                    .formatted(other.checkpoint()))
        .findFirst();
  }
}
