package org.sluice.iop.measure;

import org.sluice.core.store.model.Commit;

/**
 * How long a checkpoint took.
 *
 * @param number the checkpoint's number
 * @param images how many images it has
 * @param bytes the sum of their sizes
 * @param returnSeconds how long the slowest process had its images open
 * @param durableSeconds from the first opening until it was committed
 */
public record CommitTimes(
    long number, int images, long bytes, double returnSeconds, double durableSeconds) {
  /**
   * The times of a commit.
   *
   * @param commit what is stored
   * @param openings of its images
   * @param ended when it was stored, in nanoseconds of the clock of the openings
   * @return the times
   */
  public static CommitTimes of(final Commit commit, final OpenTimes openings, final long ended) {
    return new CommitTimes(
        commit.number(),
        commit.imageCount(),
        commit.bytes(),
        openings.slowest(),
        (ended - Math.min(ended, openings.first())) / 1e9);
  }
}
