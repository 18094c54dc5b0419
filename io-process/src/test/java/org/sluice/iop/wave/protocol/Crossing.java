package org.sluice.iop.wave.protocol;

import org.sluice.iop.wave.protocol.c3.Plan;

/** What crosses a line, as a rank looks at it. */
public final class Crossing {
  private Crossing() {}

  /** Whether a message that a rank received behind its line was sent before its sender's. */
  public static boolean isLate(final Expect expect, final Message message) {
    return message.number() <= expect.late().getOrDefault(message.stream(), 0L);
  }

  /** Whether any member had entered a collective before its line that ended here behind it. */
  public static boolean straddles(final Expect expect, final Collective collective) {
    return collective.number() <= expect.straddling().getOrDefault(collective.communicator(), 0L);
  }

  /** Whether a message that the rank sends again is at its receiver. */
  static boolean isSuppressed(final Plan plan, final Message message) {
    return message.number() <= plan.suppressed().getOrDefault(message.stream(), 0L);
  }
}
