package org.sluice.iop.checkpoint;

import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.sluice.core.posix.Errno;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Failure;

/**
 * Groups that would be committed behind a newer one whose files were written later, and so be taken
 * for the newest. Only a marker may do that: with it their program says that they are complete.
 * Service thread only.
 */
final class Latecomers {
  /** Why none is committed. No byte is lost by that. */
  private static final int OVERTAKEN = Errno.ESTALE;

  private final CheckpointState state;
  private final boolean marked;
  private final Lacks lacks;

  Latecomers(final Context context, final Lacks lacks) {
    this.state = context.state();
    this.marked = context.grouping() != null && context.grouping().hasMarkers();
    this.lacks = lacks;
  }

  /** Whether a checkpoint was refused for that. */
  static boolean isOne(final Entry.Ended end) {
    return end.attempt() == CheckpointState.NO_ATTEMPT && end.errno() == OVERTAKEN;
  }

  /**
   * Whether a group is not committed for that, which is said; or not before it is known what
   * becomes of commits that are under way.
   */
  boolean has(final Group group) {
    if (marked) {
      return false;
    }
    final OptionalLong newer = state.precedence().newerThan(group.number(), group.written());
    newer.ifPresent(other -> lacks.refuse(group.number(), failure(other)));
    return newer.isPresent()
        || underWay(group).newerThan(group.number(), group.written()).isPresent();
  }

  private Precedence underWay(final Group group) {
    final Precedence then = new Precedence();
    state.commits().stream()
        .filter(commit -> commit.checkpoint() != group.number())
        .map(state::written)
        .filter(Objects::nonNull)
        .forEach(then::stored);
    return then;
  }

  private static Failure failure(final long other) {
    return new Failure(OVERTAKEN, reason(other));
  }

  /** At the end, of what is no whole checkpoint: then none may have been written later. */
  Optional<String> obstacleAtEnd(final Group group) {
    return Stream.of(state.precedence(), underWay(group))
        .flatMapToLong(those -> those.laterThan(group.written()).stream())
        .mapToObj(Latecomers::reason)
        .findFirst();
  }

  private static String reason(final long other) {
    return "checkpoint %d, which was written later, is committed and stays the newest"
        .formatted(other);
  }
}
