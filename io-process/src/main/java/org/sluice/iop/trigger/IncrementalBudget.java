package org.sluice.iop.trigger;

import java.io.IOException;
import java.util.List;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.node.Occupancy;
import org.sluice.iop.checkpoint.Context;
import org.sluice.iop.drain.Work;
import org.sluice.iop.measure.Warnings;

/**
 * How much room checkpoints of this session take that have bytes of others which were removed.
 * Users who keep N expect about N of them, and one more while it is written. Where it would be
 * more, images are written in full until the old bytes are not needed. What earlier sessions left
 * stays whatever is written here. Service thread only.
 */
final class IncrementalBudget {
  private final Context context;

  /** What is taken; 0 while no checkpoint has bytes of a removed one. */
  private long taken;

  IncrementalBudget(final Context context) {
    this.context = context;
  }

  /**
   * A checkpoint is committed: looks once what was removed before is gone.
   *
   * @param goesOn whether it has bytes of others
   */
  void committed(final boolean goesOn) {
    if (!context.settings().keep().isAll() && (goesOn || taken > 0)) {
      context.drain().publish(new Look());
    }
  }

  /** Whether there is room for a checkpoint that goes on from one. */
  boolean isFor(final Commit base) {
    return context.settings().keep().isAll()
        || taken <= (context.settings().keep().most() + 1L) * base.bytes();
  }

  /** The indexes are read on the last stage, as removals are. */
  private final class Look implements Work {
    @Override
    public boolean isAwaited() {
      return false;
    }

    @Override
    public void commit() throws IOException {
      final List<Commit> ours =
          context.store().commits(damaged -> {}).stream()
              .filter(commit -> commit.sessionId() == context.sessionId())
              .toList();
      final Occupancy all = Occupancy.of(context.store(), ours);
      context.service().execute(() -> taken = all.removed() > 0 ? all.bytes() : 0);
    }

    @Override
    public void fail(final IOException failure) {
      Warnings.warn("what checkpoints take cannot be told: " + failure.getMessage());
    }
  }
}
