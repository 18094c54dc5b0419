package org.sluice.iop.crash;

import java.io.IOException;

/** An exception for a thing that is left out, since two I/O processes in a row failed at it. */
public final class PoisonException extends IOException {
  private static final long serialVersionUID = 1;

  public PoisonException(final Subject subject) {
    super("two I/O processes in a row failed at %s of it".formatted(subject));
  }
}
