package org.sluice.iop.wave;

import java.nio.ByteBuffer;

/**
 * The description that rank 0 gives of its job.
 *
 * @param protocol the number of one, or of the choice
 * @param restored the wave that the job began with; -1 none
 * @param attempt how often the command was run before
 * @param every nanoseconds between waves; 0 only when someone asks
 * @param patience nanoseconds until a wave is given up
 * @param again whether it has said so to an I/O process that was killed
 */
record Job(
    int protocol,
    int ranks,
    long restored,
    long attempt,
    long every,
    long patience,
    boolean again) {
  static Job of(final ByteBuffer bytes) {
    final Job job =
        new Job(
            bytes.getInt(),
            bytes.getInt(),
            bytes.getLong(),
            bytes.getLong(),
            bytes.getLong(),
            bytes.getLong(),
            bytes.getLong() != 0);
    if (job.ranks < 1) {
      throw new IllegalArgumentException("a job of %d ranks".formatted(job.ranks));
    }
    return job;
  }
}
