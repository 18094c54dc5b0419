package org.sluice.iop.checkpoint;

import java.util.Collection;
import org.sluice.core.store.model.RankSet;
import org.sluice.core.store.series.RequiredRanks;
import org.sluice.iop.image.Writer;

/**
 * The ranks whose images a commit has.
 *
 * @param ranks ranks of the job, 0 unknown; without a part the commit must have images of all
 * @param part the ranks whose part of the checkpoint it is, if the job has others on other nodes;
 *     else none
 * @param coverage what other nodes' parts are to cover with this one
 */
public record CommitRanks(int ranks, RankSet part, RequiredRanks coverage) {
  public CommitRanks(final int ranks, final RankSet part) {
    this(ranks, part, RequiredRanks.ALL);
  }

  /** The same of a checkpoint that is to cover something else than all ranks. */
  public CommitRanks covering(final RequiredRanks other) {
    return new CommitRanks(ranks, part, other);
  }

  /** Returns why nobody can tell when this node's part of a checkpoint is complete. */
  public static String unknown(final int ranks) {
    return "the job has %d ranks on several nodes, and the launcher does not say how many on this one;"
            .formatted(ranks)
        + " say it with --writers N";
  }

  /**
   * @param whole ranks that must have written, where all of them are on this node; 0 unknown
   */
  public static CommitRanks of(final Collection<Writer> writers, final int whole) {
    if (writers.stream().noneMatch(Writer::isOfSeveralNodes)) {
      return new CommitRanks(whole, RankSet.NONE);
    }
    return new CommitRanks(
        writers.stream().mapToInt(Writer::ranks).max().orElse(0),
        RankSet.of(writers.stream().mapToInt(Writer::rank)));
  }
}
