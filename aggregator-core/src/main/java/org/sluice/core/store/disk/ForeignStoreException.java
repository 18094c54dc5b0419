package org.sluice.core.store.disk;

import java.io.IOException;

/** A store is another user's; the message names that user and says what to do. */
public final class ForeignStoreException extends IOException {
  private static final long serialVersionUID = 1L;

  ForeignStoreException(final String message) {
    super(message);
  }
}
