package org.sluice.iop.drain;

import java.io.IOException;
import java.util.List;
import org.sluice.core.store.Container;
import org.sluice.iop.measure.Warnings;

/**
 * Between two checkpoints: closes containers that no image needs, so that the store may use their
 * blocks again, and makes the next one ready. The last stage closes them, as it is the one that
 * syncs them for the work before.
 */
final class TidyWork implements Work {
  private final Layout layout;
  private List<Container> released = List.of();

  TidyWork(final Layout layout) {
    this.layout = layout;
  }

  @Override
  public void write() {
    released = layout.release();
  }

  @Override
  public void commit() throws IOException {
    for (final Container container : released) {
      container.close();
    }
    layout.prepare();
  }

  @Override
  public void fail(final Exception failure) {
    Warnings.warn("no container is ready for the next checkpoint: " + failure.getMessage());
  }
}
