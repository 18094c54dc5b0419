package org.sluice.core.store.disk;

import java.io.IOException;

/** There is no store at a place; the message says what is there instead and what to do. */
public final class NoStoreException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message line with the problem, its place and the next step
   */
  public NoStoreException(final String message) {
    super(message);
  }
}
