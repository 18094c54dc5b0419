package org.sluice.iop.wave.protocol.pcl;

import java.util.Optional;
import org.sluice.iop.wave.protocol.Verdict;

/**
 * The times for which ranks stood still at their spot in one wave, and their reasons. All times are
 * in nanoseconds. One thread's.
 */
final class WaitTimes {
  /** The wait that nobody notices. */
  private static final double NOTHING = 1e6;

  /** The greatest part of the images' time that the wait for others may be. */
  private static final double PART = 0.1;

  private final int ranks;
  private long first; // when the first rank stopped
  private int stops;
  private double stopped; // behind that, the sum of all
  private double waited;
  private int images;
  private double held;

  WaitTimes(final int ranks) {
    this.ranks = ranks;
  }

  /** A rank stands still. */
  void stopped(final long now) {
    first = stops++ == 0 ? now : first;
    stopped += now - first;
  }

  long sinceFirst(final long now) {
    return now - first;
  }

  /** All take their images. */
  void goOn(final long now) {
    waited = (now - first) * (double) stops - stopped;
  }

  /** A rank has its image, and stood still for so long in all. */
  void taken(final long nanos) {
    images++;
    held += nanos;
  }

  /** Returns whether a stop of all costs next to nothing; empty before all have their images. */
  Optional<Verdict> verdict() {
    final double wait = waited / ranks;
    final double taking = Math.max(0, held - waited) / ranks;
    return images < ranks
        ? Optional.empty()
        : Optional.of(
            new Verdict(
                wait <= Math.max(NOTHING, PART * taking),
                "ranks waited %.1f ms for each other, and %.1f ms for their images"
                    .formatted(wait / 1e6, taking / 1e6)));
  }
}
