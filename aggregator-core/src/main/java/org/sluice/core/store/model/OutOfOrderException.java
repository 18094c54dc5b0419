package org.sluice.core.store.model;

import java.io.IOException;

/** Thrown where the bytes of an image are wanted in order, and its log does not have them so. */
public final class OutOfOrderException extends IOException {
  private static final long serialVersionUID = 1L;

  public OutOfOrderException() {
    super("it was not written from its beginning to its end");
  }
}
