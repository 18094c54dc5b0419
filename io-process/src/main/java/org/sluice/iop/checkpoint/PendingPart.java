package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.sluice.core.series.PartKey;
import org.sluice.core.series.SeriesRun;
import org.sluice.core.store.Commit;
import org.sluice.core.store.RankSet;

/**
 * A part of this node that is there, or will be, and what it waits for. When it is looked at and
 * what it lacks changes under the lock of {@link SeriesCommits}; the rest is the watcher's.
 */
final class PendingPart {
  private static final long FIRST_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final long OTHERS_FIRST_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  final Commit commit;
  final PartKey key;
  final int ranks;
  final boolean first;

  /** Whether the part goes into the log's entry, as this node has all ranks. */
  final boolean whole;

  final Runnable counts;
  final Consumer<IOException> refused;
  RankSet missing = RankSet.NONE;
  int looks;
  long pause;
  long due;
  final long begun = System.nanoTime();
  long changed = begun;
  boolean warned;

  /** The part, while it may not be there. */
  byte[] part;

  PendingPart(
      final Commit commit,
      final byte[] part,
      final PartKey key,
      final Runnable counts,
      final Consumer<IOException> refused) {
    this.commit = commit;
    this.part = part;
    this.key = key;
    this.ranks = ranksOfJob(commit);
    this.first = ranksOf(commit).list().getFirst() == 0;
    this.whole = key.ranks().covers(ranks) && part.length <= SeriesRun.MAX_WHOLE;
    this.counts = counts;
    this.refused = refused;
    this.pause = first ? FIRST_LOOK_NANOS : OTHERS_FIRST_LOOK_NANOS;
    this.due = first ? changed : changed + pause;
  }

  /** The ranks of the job; a program that is none has one. */
  private static int ranksOfJob(final Commit commit) {
    return Math.max(1, commit.ranks());
  }

  /** The ranks whose images a part has. */
  static RankSet ranksOf(final Commit commit) {
    return commit.part().isEmpty()
        ? RankSet.of(IntStream.range(0, ranksOfJob(commit)))
        : commit.part();
  }
}
