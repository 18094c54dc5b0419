package org.sluice.iop.outside;

import java.util.concurrent.TimeUnit;

/**
 * The judge of whether the guard still answers. Looks are counted and not time, since this process
 * may have been stopped between two. A look at a guard that waits for a processor counts for
 * nothing. Other processes keep such a guard from answering, and would keep the next one.
 */
final class Answers {
  private static final long BEAT_NANOS = TimeUnit.SECONDS.toNanos(3);
  private static final int MOST_UNANSWERED =
      2; // an answer may have come while this process was stopped

  private long looked;
  private int unanswered;

  /** Returns whether it is time to look, as it is every three seconds. */
  boolean isDue(final long nanos) {
    return nanos - looked >= BEAT_NANOS;
  }

  /**
   * Looks at what the guard has answered.
   *
   * @param starved whether the guard waits for a processor now
   * @return true when too much was not answered
   */
  boolean look(final long nanos, final boolean starved) {
    looked = nanos;
    unanswered += starved ? 0 : 1;
    return unanswered > MOST_UNANSWERED;
  }

  /** Notes that the guard has answered, or has nothing to answer for. */
  void come() {
    unanswered = 0;
  }
}
