package org.sluice.iop.crash;

import java.io.IOException;

/** Something is left out, since two I/O processes in a row failed at it. */
public final class PoisonException extends IOException {
  private static final long serialVersionUID = 1;

  /**
   * Says what two I/O processes in a row failed at.
   *
   * @param subject what kind of thing is left out
   */
  public PoisonException(final Subject subject) {
    super("two I/O processes in a row failed at %s of it".formatted(subject));
  }
}
