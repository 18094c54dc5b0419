package org.sluice.iop.wave.protocol;

/**
 * One wave, as its coordinator sees it. A wave ends committed or given up. Until it is committed,
 * the one before it is what a recovery begins with.
 */
public abstract class Wave {
  private final int ranks;
  private final long end;
  private String reason = "";
  private boolean committed;

  /**
   * Begins a wave.
   *
   * @param ranks how many ranks the job has
   * @param end the time at which the wave is given up
   */
  protected Wave(final int ranks, final long end) {
    this.ranks = ranks;
    this.end = end;
  }

  /**
   * Waits for a phase of all ranks.
   *
   * @return the phase
   */
  final Phase phase() {
    return new Phase(ranks);
  }

  /**
   * Gives the wave up, unless it has ended.
   *
   * @param why the reason, for the user
   */
  public final void giveUp(final String why) {
    if (!hasEnded()) {
      reason = why;
    }
  }

  /**
   * Looks at the clock.
   *
   * @param now the time
   */
  public final void look(final long now) {
    if (now >= end) {
      giveUp(waiting());
    }
  }

  /** All of it is durable. */
  public final void commit() {
    committed = !hasEnded();
  }

  /**
   * Whether nothing more comes.
   *
   * @return whether it was committed or given up
   */
  public final boolean hasEnded() {
    return committed || !reason.isEmpty();
  }

  /**
   * Why the wave was given up.
   *
   * @return the reason, or an empty string
   */
  public final String reason() {
    return reason;
  }

  /**
   * What the wave waits for.
   *
   * @return a line for the user, which names ranks
   */
  public abstract String waiting();
}
