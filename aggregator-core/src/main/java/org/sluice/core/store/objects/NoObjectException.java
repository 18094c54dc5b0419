package org.sluice.core.store.objects;

import java.io.IOException;

/** An engine has no object of a key. */
public final class NoObjectException extends IOException {
  private static final long serialVersionUID = 1L;

  public NoObjectException(final Engine engine, final String key) {
    super("%s has no object %s".formatted(engine, key));
  }
}
