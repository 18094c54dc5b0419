package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.sluice.core.store.Commit;
import org.sluice.core.store.RankSet;
import org.sluice.core.store.StoredPart;

/** A part that is there, and what it waits for. {@link SeriesCommits} alone uses it. */
final class Pending {
  private static final long FIRST_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final long OTHERS_FIRST_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  final Commit commit;
  final long round;
  final RankSet ranksHere;
  final boolean first;
  final Runnable counts;
  final Consumer<IOException> refused;
  final long begun = System.nanoTime();
  RankSet missing = RankSet.NONE;
  int looks;
  long pause;
  long due;
  long changed = begun;
  boolean warned;

  /** The part, while it may not be there. */
  byte[] part;

  Pending(
      final StoredPart stored,
      final byte[] part,
      final long round,
      final Runnable counts,
      final Consumer<IOException> refused) {
    this.commit = stored.commit();
    this.part = part;
    this.round = round;
    this.ranksHere = stored.ranks();
    this.first = ranksHere.list().getFirst() == 0;
    this.counts = counts;
    this.refused = refused;
    this.pause = first ? FIRST_LOOK_NANOS : OTHERS_FIRST_LOOK_NANOS;
    this.due = first ? changed : changed + pause;
  }

  /** The ranks of the job; a program that is none has one. */
  int ranks() {
    return Math.max(1, commit.ranks());
  }
}
