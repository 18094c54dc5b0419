package org.sluice.core.store.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * How many checkpoints stay as newer ones are committed, and so which ones go. A decision alone:
 * nothing is removed here. Thread-safe.
 *
 * @param most how many of the newest, at least; 0 for all
 * @param onStage how many of a run stay on a stage that they are copied from; 0 for all
 * @param countsEarlier whether those of earlier runs are counted, and go, as well: of the waves of
 *     an MPI job each run keeps its own
 */
public record Keeping(int most, int onStage, boolean countsEarlier) {
  /** All stay where they were to go. A stage has room for few. */
  public static final Keeping DEFAULT = new Keeping(0, 2, false);

  /** All stay. */
  public static final Keeping ALL = new Keeping(0, 0, false);

  /** Of waves. */
  public static final Keeping WAVES = new Keeping(2, 2, false);

  /**
   * The same on a stage: it has this run's, and those of earlier runs are another's business.
   *
   * @return what stays there
   */
  public Keeping ofStage() {
    return new Keeping(onStage, onStage, false);
  }

  /** {@return whether none is ever removed} */
  public boolean isAll() {
    return most == 0;
  }

  /**
   * How many stay. Where files may yet join the newest, the one before it may become that.
   *
   * @param newest by what the newest counts as complete; empty where nothing tells
   * @return 1 or more, unless all stay
   */
  public int atLeast(final Optional<Completion> newest) {
    return newest.equals(Optional.of(Completion.COUNT)) ? Math.max(most, 2) : most;
  }

  /**
   * The checkpoints that enough newer ones follow.
   *
   * @param <T> a checkpoint
   * @param stay how many newer ones are enough, 1 or more
   * @param all the checkpoints, the oldest first
   * @param counts which of them are among the newer ones that others wait for
   * @return some of them, in that order
   */
  public static <T> List<T> older(
      final int stay, final List<T> all, final Predicate<? super T> counts) {
    final List<T> older = new ArrayList<>();
    int newer = 0;
    for (final T one : all.reversed()) {
      if (newer >= stay) {
        older.addFirst(one);
      }
      newer += counts.test(one) ? 1 : 0;
    }
    return older;
  }

  /**
   * The checkpoints that go where incomplete ones may stand among the newest: a complete one stays
   * until enough complete ones follow, an incomplete one until enough of any kind do.
   *
   * @param <T> a checkpoint
   * @param stay how many newer ones are enough, 1 or more
   * @param all the checkpoints, the oldest first
   * @param complete which of them are complete
   * @return some of them, in that order
   */
  public static <T> List<T> dispensable(
      final int stay, final List<T> all, final Predicate<? super T> complete) {
    final List<T> dispensable = older(stay, all, any -> true);
    final List<T> behindComplete = older(stay, all, complete);
    dispensable.removeIf(one -> complete.test(one) && !behindComplete.contains(one));
    return dispensable;
  }
}
