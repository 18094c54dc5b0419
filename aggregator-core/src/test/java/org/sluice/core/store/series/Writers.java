package org.sluice.core.store.series;

import java.util.Random;
import java.util.stream.IntStream;
import org.sluice.core.store.model.RankSet;

/**
 * Which nodes of a history write a checkpoint, one rank on each: all, or those that a marker closes
 * over. Whoever asks is told the same.
 */
final class Writers {
  private final long seed;
  private final int nodes;

  Writers(final long seed, final int nodes) {
    this.seed = seed;
    this.nodes = nodes;
  }

  private Random dice(final SeriesCheck.Round round, final int more) {
    return new Random(seed * 31 + round.hashCode() * 7L + more);
  }

  /** Whether a marker completes it. */
  boolean areMarked(final SeriesCheck.Round round) {
    return dice(round, -1).nextInt(3) == 0;
  }

  RankSet of(final SeriesCheck.Round round) {
    final Random dice = dice(round, -2);
    final int one = dice.nextInt(nodes);
    return RankSet.of(
        IntStream.range(0, nodes)
            .filter(node -> !areMarked(round) || node == one || dice.nextBoolean()));
  }

  /** Whether some node looks at an old list of the directory that the files are in. */
  boolean isStale(final SeriesCheck.Round round) {
    return areMarked(round) && dice(round, -3).nextInt(4) == 0;
  }

  /** What a node says that the checkpoint must cover. */
  RequiredRanks seenBy(final int node, final SeriesCheck.Round round) {
    final Random dice = dice(round, node);
    return areMarked(round)
        ? RequiredRanks.closing(
            RankSet.of(
                of(round).list().stream()
                    .mapToInt(Integer::intValue)
                    .filter(rank -> rank == node || !isStale(round) || dice.nextBoolean())))
        : RequiredRanks.ALL;
  }
}
