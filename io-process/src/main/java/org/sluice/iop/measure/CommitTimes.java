package org.sluice.iop.measure;

import org.sluice.core.store.model.Commit;

/**
 * The times of a committed checkpoint.
 *
 * @param returnSeconds time for which the slowest process had its images open
 * @param durableSeconds time from the first opening until the commit
 */
public record CommitTimes(
    long number, int images, long bytes, double returnSeconds, double durableSeconds) {
  /**
   * @param ended time of the commit, in nanoseconds of the clock of the openings
   */
  public static CommitTimes of(final Commit commit, final OpenTimes openings, final long ended) {
    return new CommitTimes(
        commit.number(),
        commit.content().images(),
        commit.content().bytes(),
        openings.slowest(),
        (ended - Math.min(ended, openings.first())) / 1e9);
  }
}
