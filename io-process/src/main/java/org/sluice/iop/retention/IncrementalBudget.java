package org.sluice.iop.retention;

import java.io.IOException;
import java.util.List;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.Keeping;
import org.sluice.core.store.node.Occupancy;
import org.sluice.iop.checkpoint.CheckpointStorage;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.drain.Work;
import org.sluice.iop.measure.Warnings;

/**
 * The space of checkpoints in this session that use bytes of removed ones. Users who keep N expect
 * about N checkpoints, and one more while it is written. Beyond that, images are written in full
 * until the old bytes are not needed. Checkpoints of earlier sessions do not count. Service thread
 * only.
 */
public final class IncrementalBudget {
  private final Keeping keep;
  private final CheckpointStorage storage;
  private final Drain drain;

  /** The bytes taken; 0 while no checkpoint uses bytes of a removed one. */
  private long taken;

  IncrementalBudget(final Keeping keep, final CheckpointStorage storage, final Drain drain) {
    this.keep = keep;
    this.storage = storage;
    this.drain = drain;
  }

  /** Notes a commit. The space is counted after the removals that went before. */
  public void committed(final boolean goesOn) {
    if (!keep.isAll() && (goesOn || taken > 0)) {
      drain.publish(new Look());
    }
  }

  /** Returns whether there is room for a checkpoint that reuses bytes of one. */
  public boolean isFor(final Commit base) {
    return keep.isAll() || taken <= (keep.most() + 1L) * base.content().bytes();
  }

  /** A count of the space. The indexes are read on the last stage, as removals are done there. */
  private final class Look implements Work {
    @Override
    public boolean isAwaited() {
      return false;
    }

    @Override
    public void commit() throws IOException {
      final List<Commit> ours =
          storage.store().commits(damaged -> {}).stream()
              .filter(commit -> commit.source().sessionId() == storage.sessionId())
              .toList();
      final Occupancy all = Occupancy.of(storage.store(), ours);
      drain.service().execute(() -> taken = all.removed() > 0 ? all.bytes() : 0);
    }

    @Override
    public void fail(final IOException failure) {
      Warnings.warn("what checkpoints take cannot be told: " + failure.getMessage());
    }
  }
}
