package org.sluice.iop.drain;

import java.io.IOException;
import java.util.function.LongConsumer;
import org.sluice.iop.image.Image;

/** Brings what was drained of an image to stable storage. */
final class SyncWork implements Work {
  private final Layout layout;
  private final Image image;
  private final LongConsumer durable;

  /**
   * An image.
   *
   * @param durable takes the time when that is done, also when the image failed
   */
  SyncWork(final Layout layout, final Image image, final LongConsumer durable) {
    this.layout = layout;
    this.image = image;
    this.durable = durable;
  }

  @Override
  public void commit() throws IOException {
    layout.sync(image);
    durable.accept(System.nanoTime());
  }

  @Override
  public void fail(final Exception failure) {
    image.fail(failure);
    durable.accept(System.nanoTime());
  }
}
