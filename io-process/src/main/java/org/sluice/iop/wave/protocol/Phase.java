package org.sluice.iop.wave.protocol;

import java.util.BitSet;
import java.util.stream.Collectors;

/** Waits for all ranks. */
final class Phase {
  private final BitSet missing = new BitSet();

  Phase(final int ranks) {
    missing.set(0, ranks);
  }

  /** A rank is there. Returns true once: when it was the last one. */
  boolean arrive(final int rank) {
    final boolean was = missing.get(rank);
    missing.clear(rank);
    return was && missing.isEmpty();
  }

  boolean isOver() {
    return missing.isEmpty();
  }

  /** Names the ranks that are not there. */
  @Override
  public String toString() {
    return missing.stream().mapToObj(Integer::toString).collect(Collectors.joining(", "));
  }
}
