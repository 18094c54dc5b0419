package org.sluice.core.store.objects;

import java.io.IOException;

/** Storage cannot be used; the message says what, where, and what to do. */
public final class EngineException extends IOException {
  private static final long serialVersionUID = 1L;

  private final Reason reason;

  public enum Reason {
    ADDRESS,
    MISSING,
    DENIED,
    FULL,
    UNREACHABLE,
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

  public Reason reason() {
    return reason;
  }
}
