package org.sluice.iop.retention;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.sluice.iop.checkpoint.CheckpointStorage;
import org.sluice.iop.drain.Work;
import org.sluice.iop.measure.Warnings;

/**
 * The search for checkpoints of which a program has deleted files in place. Such checkpoints are
 * removed. A program deletes its oldest checkpoint first.
 *
 * @param storage storage of the checkpoints
 * @param checkpoints the checkpoints to look at, the oldest first
 * @param all whether to look at each; else the search ends at the first that has all its files
 * @param gone receiver of the removed checkpoints, called in the last stage
 */
record Deletions(
    CheckpointStorage storage, List<Kept> checkpoints, boolean all, Consumer<List<Kept>> gone)
    implements Work {
  @Override
  public boolean isAwaited() {
    return false;
  }

  @Override
  public void commit() throws IOException {
    final List<Kept> without = new ArrayList<>();
    for (final Kept one : checkpoints) {
      final boolean lacks = lacks(one);
      if (lacks && one.remove(storage, () -> true)) {
        without.add(one);
      } else if (!lacks && !all) {
        break;
      }
    }
    gone.accept(without);
  }

  /**
   * Returns whether a checkpoint lacks a file. An unreadable checkpoint may have been removed by
   * others, or else verify names it.
   */
  private boolean lacks(final Kept one) {
    try {
      return one.stored(storage).stream().anyMatch(CheckpointNames::isDeleted);
    } catch (final IOException unreadable) {
      return false;
    }
  }

  @Override
  public void fail(final IOException failure) {
    Warnings.warn("whether files of checkpoints were deleted is unknown: " + failure.getMessage());
    gone.accept(List.of());
  }
}
