package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.sluice.core.series.SeriesRun;
import org.sluice.core.store.Commit;
import org.sluice.core.store.RankSet;

/** This node's part of a checkpoint, and what it waits for. {@link SeriesCommits} has it. */
final class PendingPart {
  final Commit commit;
  final long round;
  final int ranks;
  final Runnable counts;
  final Consumer<IOException> refused;
  final Looks looks;
  RankSet missing = RankSet.NONE;
  long changed = System.nanoTime();
  boolean warned;

  /** Its bytes, while it may not be there. */
  private byte[] part;

  PendingPart(
      final Commit commit,
      final byte[] part,
      final long round,
      final Looks.Wait wait,
      final Runnable counts,
      final Consumer<IOException> refused) {
    this.commit = commit;
    this.part = part;
    this.round = round;
    this.ranks = ranksOf(commit);
    this.counts = counts;
    this.refused = refused;
    final List<Integer> mine = partOf(commit).list();
    this.looks = new Looks(mine.getFirst() == 0, ranks / mine.size(), wait, changed);
  }

  /** The ranks of the job; a program that is none has one. */
  private static int ranksOf(final Commit commit) {
    return Math.max(1, commit.ranks());
  }

  private static RankSet partOf(final Commit commit) {
    return commit.part().isEmpty()
        ? RankSet.of(IntStream.range(0, ranksOf(commit)))
        : commit.part();
  }

  /** Puts it unless it is there: the last stage at first, and then the thread that looks at it. */
  void put(final SeriesRun run) throws IOException {
    if (part != null) {
      run.put(commit.number(), round, partOf(commit), List.of(ByteBuffer.wrap(part)));
      part = null;
    }
  }
}
