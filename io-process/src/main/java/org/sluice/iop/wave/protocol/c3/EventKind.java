package org.sluice.iop.wave.protocol.c3;

/** The kinds of an {@link Event} in a recording, by number. */
public final class EventKind {
  /** An {@link Event.Sent}. */
  public static final int SENT = 1;

  /** An {@link Event.Posted}. */
  public static final int POSTED = 2;

  /** An {@link Event.Completed}. */
  public static final int COMPLETED = 3;

  /** An {@link Event.Probed}. */
  public static final int PROBED = 4;

  /** An {@link Event.Entered}. */
  public static final int ENTERED = 5;

  /** An {@link Event.Nothing}. */
  public static final int NOTHING = 6;

  private EventKind() {}
}
