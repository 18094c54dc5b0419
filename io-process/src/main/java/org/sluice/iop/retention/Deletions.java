package org.sluice.iop.retention;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.sluice.iop.checkpoint.Context;
import org.sluice.iop.drain.Work;
import org.sluice.iop.measure.Warnings;

/**
 * Looks for checkpoints of which a program has deleted files that were in place, and lets them go.
 * A program deletes its oldest one first.
 *
 * @param context where they are
 * @param checkpoints the oldest first
 * @param all whether each is looked at; else up to the first that has all its files
 * @param gone told which ones went, in the last stage
 */
record Deletions(Context context, List<Kept> checkpoints, boolean all, Consumer<List<Kept>> gone)
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
      if (lacks && one.remove(context, () -> true)) {
        without.add(one);
      } else if (!lacks && !all) {
        break;
      }
    }
    gone.accept(without);
  }

  /** One that cannot be read others may have removed meanwhile, or verify names it. */
  private boolean lacks(final Kept one) {
    try {
      return one.stored(context).stream().anyMatch(CheckpointNames::isDeleted);
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
