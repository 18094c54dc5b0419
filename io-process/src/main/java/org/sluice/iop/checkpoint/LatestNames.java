package org.sluice.iop.checkpoint;

import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.sluice.core.posix.PosixException;
import org.sluice.iop.image.ImageKey;

/**
 * The names in a directory, listed for all who look for something there now and then. A list of
 * 10,000 files takes 45 ms. So lists take a part of the time only, however many look.
 */
final class LatestNames {
  /** So much longer than it took is a list good enough for who looks again. */
  static final int SHARE = 10;

  private final Walk walk;
  private final LongSupplier clock;
  private Map<ImageKey, List<String>> latest;
  private long listed;
  private long took;

  /** Lists the directory. */
  @FunctionalInterface
  interface Walk {
    /** All names of all files, by what they are names of. */
    Map<ImageKey, List<String>> names() throws PosixException;
  }

  LatestNames(final Walk walk, final LongSupplier clock) {
    this.walk = walk;
    this.clock = clock;
  }

  /** As they are now. */
  Map<ImageKey, List<String>> now() throws PosixException {
    final long began = clock.getAsLong();
    latest = walk.names();
    listed = clock.getAsLong();
    took = listed - began;
    return latest;
  }

  /** As they were not long ago, and never before a list that was asked for. */
  Map<ImageKey, List<String>> ofLate() throws PosixException {
    return latest != null && clock.getAsLong() - listed < SHARE * took ? latest : now();
  }
}
