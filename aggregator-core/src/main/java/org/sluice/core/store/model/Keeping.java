package org.sluice.core.store.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The decision how many checkpoints stay as newer ones are committed, and so which ones go. Nothing
 * is removed here. Thread-safe.
 *
 * @param most least number of the newest that stay; 0 for all
 * @param onStage number of a run's checkpoints that stay on a stage that they are copied from; 0
 *     for all
 * @param countsEarlier true if checkpoints of earlier runs are counted, and go, as well: of the
 *     waves of an MPI job each run keeps its own
 */
public record Keeping(int most, int onStage, boolean countsEarlier) {
  /** The default: all stay in the store. A stage has room for few. */
  public static final Keeping DEFAULT = new Keeping(0, 2, false);

  public static final Keeping ALL = new Keeping(0, 0, false);

  public static final Keeping WAVES = new Keeping(2, 2, false);

  /** A stage has this run's checkpoints; those of earlier runs are not counted. */
  public Keeping ofStage() {
    return new Keeping(onStage, onStage, false);
  }

  /** {@return true if no checkpoint is ever removed} */
  public boolean isAll() {
    return most == 0;
  }

  /**
   * Returns the number of checkpoints that stay. Where files may yet join the newest, the one
   * before it may take its place.
   *
   * @param newest reason why the newest counts as complete; empty where nothing tells
   * @return 1 or more, unless all stay
   */
  public int atLeast(final Optional<Completion> newest) {
    return newest.equals(Optional.of(Completion.COUNT)) ? Math.max(most, 2) : most;
  }

  /**
   * Returns the checkpoints that enough newer ones follow.
   *
   * @param stay number of newer ones that are enough, 1 or more
   * @param counts true for those that count as newer ones
   * @return some of them, in that order
   */
  public static <T> List<T> older(
      final int stay, final List<T> all, final Predicate<? super T> counts) {
    final List<T> older = new ArrayList<>();
    int newer = 0;
    for (final T one : all.reversed()) {
      if (newer >= stay) {
        older.add(one);
      }
      newer += counts.test(one) ? 1 : 0;
    }
    return older.reversed();
  }

  /**
   * Returns the checkpoints that go where incomplete ones may stand among the newest. A complete
   * one stays until enough complete ones follow, an incomplete one until enough of any kind do.
   *
   * @param stay number of newer ones that are enough, 1 or more
   * @param complete true for the complete ones
   * @return some of them, in that order
   */
  public static <T> List<T> dispensable(
      final int stay, final List<T> all, final Predicate<? super T> complete) {
    final List<T> dispensable = new ArrayList<>();
    int newer = 0;
    int newerComplete = 0;
    for (final T one : all.reversed()) {
      final boolean isComplete = complete.test(one);
      if ((isComplete ? newerComplete : newer) >= stay) {
        dispensable.add(one);
      }
      newer++;
      newerComplete += isComplete ? 1 : 0;
    }
    return dispensable.reversed();
  }
}
