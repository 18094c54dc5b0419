package org.sluice.core.store.series;

import java.io.IOException;

/** No node will ever commit a checkpoint, since its parts contradict each other. */
public class RefusedException extends IOException {
  private static final long serialVersionUID = 1L;

  public RefusedException(final String reason) {
    super(reason);
  }
}
