package org.sluice.iop.wave;

/** The ways by which the ranks took their states in a wave: copies and forked children. */
final class Snapshots {
  private long copies;
  private long forks;
  private long learning; // ranks that do not yet know the cost of both ways
  private long tried; // ranks that took the way to learn what it costs
  private long copyCost;
  private long forkCost;

  /**
   * A rank has taken its state.
   *
   * @param forked whether a child writes it: 1 or 0
   * @param copy what a copy costs the rank in nanoseconds, 0 not known
   * @param fork what a fork costs it, 0 not known
   */
  void taken(final long forked, final long copy, final long fork) {
    copies += forked == 0 ? 1 : 0;
    forks += forked == 0 ? 0 : 1;
    learning += copy == 0 || fork == 0 ? 1 : 0;
    copyCost += copy;
    forkCost += fork;
  }

  /**
   * Notes why a rank took its way.
   *
   * @param toLearn to learn what it costs: 1 or 0
   */
  void tried(final long toLearn) {
    tried += toLearn;
  }

  /** The way: copy, fork, or mixed. */
  String way() {
    return forks == 0 ? "copy" : copies == 0 ? "fork" : "mixed";
  }

  boolean areCompared() {
    return learning == 0 && copies + forks > 0;
  }

  /** Returns the cost of a copy for a rank, in seconds. */
  double copySeconds() {
    return copyCost / 1e9 / (copies + forks);
  }

  /** Returns the cost of a fork for a rank, in seconds. */
  double forkSeconds() {
    return forkCost / 1e9 / (copies + forks);
  }

  /**
   * Returns the text for the wave's line. A rank that tries a way may have known that it costs
   * more, and each chooses by its own times: the means of all ranks then look as if it had chosen
   * wrong.
   */
  String said() {
    final boolean mixed = forks > 0 && copies > 0;
    final String by = mixed ? "by %d forks and %d copies".formatted(forks, copies) : "by " + way();
    if (!areCompared()) {
      return by;
    }
    final String why =
        tried == copies + forks
            ? ", to compare again"
            : mixed || tried > 0 ? ", each rank by its own times" : "";
    return "%s%s (a copy cost %.3f s, a fork %.3f s%s)"
        .formatted(by, why, copySeconds(), forkSeconds(), mixed ? " on average" : "");
  }
}
