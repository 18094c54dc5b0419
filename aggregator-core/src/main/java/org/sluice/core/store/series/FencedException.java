package org.sluice.core.store.series;

import java.io.IOException;

/** Another run of the series has begun since this one, which may commit nothing any more. */
public final class FencedException extends IOException {
  private static final long serialVersionUID = 1L;

  FencedException(final String run, final LogEntry.Begin successor) {
    super(
        "run %s is fenced: run %s began on node %s after it, so that it commits nothing more"
            .formatted(run, successor.run(), successor.node()));
  }
}
