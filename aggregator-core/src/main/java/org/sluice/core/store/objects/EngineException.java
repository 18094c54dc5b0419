package org.sluice.core.store.objects;

import java.io.IOException;

/** Storage cannot be used; the message says what, where, and what to do. */
public final class EngineException extends IOException {
  private static final long serialVersionUID = 1L;

  private final Reason reason;

  /** Why. */
  public enum Reason {
    /** What was given names no storage. */
    ADDRESS,
    /** The storage, or what is named there, does not exist. */
    MISSING,
    /** It takes no request of this user's. */
    DENIED,
    /** It has no room. */
    FULL,
    /** It does not answer, or not as it should. */
    UNREACHABLE,
    /** It lacks what checkpoints need. */
    UNFIT
  }

  /**
   * A failure.
   *
   * @param reason why
   * @param message one line: what, where; what to do next
   * @param cause what was thrown, null for nothing
   */
  public EngineException(final Reason reason, final String message, final Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  /**
   * Why.
   *
   * @return never null
   */
  public Reason reason() {
    return reason;
  }
}
