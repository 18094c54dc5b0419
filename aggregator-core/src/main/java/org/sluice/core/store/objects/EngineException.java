package org.sluice.core.store.objects;

import java.io.IOException;

/** Storage cannot be used; the message says what, where, and what to do. */
public final class EngineException extends IOException {
  private static final long serialVersionUID = 1L;

  private final Reason reason;

  /** The reason of a failure. */
  public enum Reason {
    /** The address names no storage. */
    ADDRESS,
    /** The storage, or its named part, does not exist. */
    MISSING,
    /** The storage takes no request of this user's. */
    DENIED,
    /** The storage has no room. */
    FULL,
    /** The storage does not answer, or not as it should. */
    UNREACHABLE,
    /** The storage lacks a property that checkpoints need. */
    UNFIT
  }

  /**
   * Creates a failure.
   *
   * @param reason reason of the failure
   * @param message line with the problem, its place and the next step
   * @param cause exception behind it, null for none
   */
  public EngineException(final Reason reason, final String message, final Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  /**
   * Returns the reason of the failure.
   *
   * @return never null
   */
  public Reason reason() {
    return reason;
  }
}
