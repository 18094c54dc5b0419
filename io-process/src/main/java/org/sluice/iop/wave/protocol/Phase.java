package org.sluice.iop.wave.protocol;

import java.util.BitSet;
import java.util.stream.Collectors;

/** Waits for all ranks. One thread's. */
public final class Phase {
  private final BitSet missing = new BitSet();

  /**
   * Creates a phase to which no rank has come.
   *
   * @param ranks how many there are
   */
  public Phase(final int ranks) {
    missing.set(0, ranks);
  }

  /**
   * A rank is there.
   *
   * @param rank the rank
   * @return true once: when it was the last one
   */
  public boolean arrive(final int rank) {
    final boolean was = missing.get(rank);
    missing.clear(rank);
    return was && missing.isEmpty();
  }

  /**
   * Returns whether all ranks are there.
   *
   * @return whether none is missing
   */
  public boolean isOver() {
    return missing.isEmpty();
  }

  /** Names the ranks that are not there. */
  @Override
  public String toString() {
    return missing.stream().mapToObj(Integer::toString).collect(Collectors.joining(", "));
  }
}
