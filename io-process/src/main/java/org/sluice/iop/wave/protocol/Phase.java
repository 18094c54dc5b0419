package org.sluice.iop.wave.protocol;

import java.util.BitSet;
import java.util.stream.Collectors;

/** Waits for all ranks. One thread's. */
public final class Phase {
  private final BitSet missing = new BitSet();

  /** Creates a phase to which no rank has come. */
  public Phase(final int ranks) {
    missing.set(0, ranks);
  }

  /** Notes that a rank is there; true once, for the last one. */
  public boolean arrive(final int rank) {
    final boolean was = missing.get(rank);
    missing.clear(rank);
    return was && missing.isEmpty();
  }

  public boolean isOver() {
    return missing.isEmpty();
  }

  /** Names the ranks that are not there. */
  @Override
  public String toString() {
    return missing.stream().mapToObj(Integer::toString).collect(Collectors.joining(", "));
  }
}
