package org.sluice.core.store.model;

import java.io.IOException;

/** A file that a checkpoint names, but does not hold, has changed since. */
public final class ChangedFileException extends IOException {
  private static final long serialVersionUID = 1L;

  ChangedFileException(final String file, final String change) {
    super(
        "%s has changed since its checkpoint, which names it and has not its bytes: %s;"
                .formatted(file, change)
            + " restore --fallback takes an older one, --partial the other files");
  }
}
