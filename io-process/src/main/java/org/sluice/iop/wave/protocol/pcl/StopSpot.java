package org.sluice.iop.wave.protocol.pcl;

/**
 * The spot at which Pcl has all ranks stop, and the time for which the first ones stand there.
 * Another rank may be in a collective that waits for those that stopped. Service thread only.
 */
public final class StopSpot {
  /** The time for which the first ranks stand at first, in nanoseconds. */
  private static final long HOLD = 500_000_000;

  /** The time that an order is under way, in nanoseconds: for so many spots it is not heard. */
  private static final double HEARD = 30_000_000;

  /**
   * The rest before the next wave, in times that ranks stood for nothing: they lose a quarter of
   * their time at most. Another rank may wait for those that stand, each time again.
   */
  private static final long RESTS = 3;

  private static final long MOST_MARGIN = 1 << 20;

  /** The number of times that ranks may be beyond the spot, as they pass many in no time. */
  private static final int TRIALS = 8;

  private final long mostHold;
  private long countedSpots = -1; // at the first wave
  private long countedAt;
  private long margin = 1;
  private long hold;
  private int passes;

  /**
   * Creates the spot, before the first wave.
   *
   * @param patience after how many nanoseconds a wave is given up. Ranks stand for half of that at
   *     most: rank 0 may hear only afterwards that they did, and the wave is not over by then.
   */
  public StopSpot(final long patience) {
    this.mostHold = patience / 2;
    this.hold = Math.min(HOLD, mostHold);
  }

  /** Returns how far beyond the farthest rank all stop, in spots. */
  long margin() {
    return margin;
  }

  /** A rank was beyond the spot. */
  void passed() {
    passes++;
    margin = Math.min(margin * 2, MOST_MARGIN);
  }

  /** Where ranks pass many spots in no time, they hear of the one only when beyond it. */
  long farther(final long spot) {
    if (countedSpots < 0) {
      countedSpots = spot;
      countedAt = System.nanoTime();
    }
    final double rate = (spot - countedSpots) / (double) (System.nanoTime() - countedAt + 1);
    return spot + Math.clamp((long) (rate * HEARD), 0, MOST_MARGIN);
  }

  /** Returns for how long a rank stands there before all do, in nanoseconds. */
  long hold() {
    return hold;
  }

  /** Returns whether a spot farther on does not help either. */
  boolean isOftenPassed() {
    return passes >= TRIALS;
  }

  /**
   * Returns whether the next wave has ranks stand for longer, if they stand for nothing in this
   * one.
   */
  boolean canHoldLonger() {
    return hold < mostHold;
  }

  /**
   * All came to a spot and heard so, the last one so long behind the arrival of the first one, in
   * nanoseconds.
   */
  void came(final long nanos) {
    hold = Math.clamp(2 * nanos, Math.min(HOLD, mostHold), mostHold);
  }

  /**
   * Notes that a rank stood for as long. Returns for how many nanoseconds the next wave waits at
   * least.
   */
  long stood() {
    final long rest = RESTS * hold;
    hold = Math.min(hold * 2, mostHold);
    margin++;
    return rest;
  }
}
