package org.sluice.iop.publish;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.RankSet;
import org.sluice.core.store.series.PartKey;
import org.sluice.core.store.series.PartsCheck;
import org.sluice.core.store.series.SeriesRun;
import org.sluice.iop.measure.Warnings;

/**
 * A part of this node that is there, or will be, and what it waits for. When it is looked at and
 * what it lacks changes under the lock of {@link SeriesCommits}; the rest is the watcher's.
 */
final class PendingPart {
  final Commit commit;
  final PartKey key;
  final int ranks;

  /** True if the part goes into the log's entry, as this node has all ranks. */
  final boolean whole;

  final Runnable counts;
  final Consumer<IOException> refused;
  final long begun = System.nanoTime();
  final CommitPolling looks;

  /** All others as long as it has not looked at parts. */
  RankSet missing;

  long changed = begun;
  boolean warned;

  /** The bytes of the part, while it may not be there. */
  private byte[] part;

  PendingPart(
      final Commit commit,
      final byte[] part,
      final PartKey key,
      final CommitPolling.Wait wait,
      final Runnable counts,
      final Consumer<IOException> refused) {
    this.commit = commit;
    this.part = part;
    this.key = key;
    this.ranks = ranksOfJob(commit);
    this.missing = key.ranks().missing(ranks);
    this.whole = key.ranks().covers(ranks) && part.length <= SeriesRun.MAX_WHOLE;
    this.counts = counts;
    this.refused = refused;
    final List<Integer> mine = key.ranks().list();
    final RankSet closed = key.coverage().closed();
    final int first = closed.isEmpty() ? 0 : closed.list().getFirst();
    this.looks = new CommitPolling(mine.getFirst() == first, ranks / mine.size(), wait, begun);
  }

  /** The ranks of the job; a program that is none has one. */
  private static int ranksOfJob(final Commit commit) {
    return Math.max(1, commit.coverage().ranks());
  }

  static RankSet ranksOf(final Commit commit) {
    return commit.coverage().part().isEmpty()
        ? RankSet.of(IntStream.range(0, ranksOfJob(commit)))
        : commit.coverage().part();
  }

  /** Puts it unless it is there: the last stage at first, and then the thread that looks at it. */
  void put(final SeriesRun run) throws IOException {
    if (part != null && !whole) {
      run.put(key, List.of(ByteBuffer.wrap(part)));
      part = null;
    }
  }

  /** The parts that are there, as far as the next look is at them; else none. */
  Set<PartKey> parts(final SeriesRun run, final boolean looked) throws IOException {
    synchronized (run) {
      return looked && !whole ? run.parts(key) : Set.of();
    }
  }

  /**
   * Asks the log, and commits there if all is there.
   *
   * @param listed the parts that are there; none to look for them only where the log has to be
   *     mended
   * @param lacks told the ranks that it waits for, if this look tells
   * @return whether it is committed
   */
  boolean look(
      final SeriesRun run,
      final Set<PartKey> listed,
      final PartsCheck check,
      final Consumer<RankSet> lacks)
      throws IOException {
    if (whole) {
      run.commit(key, part);
      return true;
    }
    if (listed.isEmpty()) {
      if (run.isCommitted(key, ranks)) {
        return true;
      }
      if (!run.isLeftOut(key)) {
        return false;
      }
    }
    final RankSet lacking =
        run.commit(key, listed.isEmpty() ? run.parts(key) : listed, ranks, check);
    lacks.accept(lacking);
    return lacking.isEmpty();
  }

  /** Says once why it waits. */
  void warn(final IOException failure) {
    if (!warned) {
      warned = true;
      Warnings.warn("checkpoint %d waits: %s".formatted(commit.number(), failure.getMessage()));
    }
  }
}
