package org.sluice.iop.drain;

import java.io.IOException;
import org.sluice.iop.image.Image;

/** Changes an image in the write stage, in order with its chunks. A failure is the image's. */
final class ImageWork implements Work {
  /** What is done. */
  @FunctionalInterface
  interface Step {
    void apply() throws IOException;
  }

  private final Image image;
  private final Step step;

  ImageWork(final Image image, final Step step) {
    this.image = image;
    this.step = step;
  }

  @Override
  public void write() throws IOException {
    step.apply();
  }

  @Override
  public void fail(final Exception failure) {
    image.fail(failure);
  }
}
