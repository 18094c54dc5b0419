package org.sluice.core.store.directory;

import java.io.IOException;

/** Another node writes a store; the message names both and says what to do. */
public final class OtherNodeException extends IOException {
  private static final long serialVersionUID = 1L;

  OtherNodeException(final String message) {
    super(message);
  }
}
