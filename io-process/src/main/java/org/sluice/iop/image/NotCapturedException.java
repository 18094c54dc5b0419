package org.sluice.iop.image;

import org.sluice.core.segment.Reason;

/** A new file cannot become an image, and is written as without Sluice. */
public final class NotCapturedException extends Exception {
  private static final long serialVersionUID = 1;

  private final Reason reason;

  public NotCapturedException(final Reason reason, final String message) {
    super(message);
    this.reason = reason;
  }

  /** Returns a reason that {@link Reason#isPlain}. */
  public Reason reason() {
    return reason;
  }
}
