package org.sluice.iop.drain;

import java.io.IOException;
import org.sluice.iop.crash.Subject;
import org.sluice.iop.image.Image;

/** Changes an image in the write stage, in order with its chunks. A failure is the image's. */
final class ImageWork implements Work {
  /** What is done. */
  @FunctionalInterface
  interface Step {
    void apply() throws IOException;
  }

  /** What is done to it; with the image, what an I/O process may fail at. */
  enum Kind {
    DIRECT,
    SETTLE,
    EMPTY,
    DIVERT,
    SIZE,
    RELEASE,
    SYNC
  }

  private final Image image;
  private final Kind kind;
  private final Step step;

  ImageWork(final Image image, final Kind kind, final Step step) {
    this.image = image;
    this.kind = kind;
    this.step = step;
  }

  @Override
  public void write() throws IOException {
    step.apply();
  }

  @Override
  public void fail(final IOException failure) {
    image.fail(failure);
  }

  @Override
  public Subject subject() {
    return Subject.IMAGE;
  }

  @Override
  public long id() {
    return kind.ordinal();
  }

  @Override
  public int imageId() {
    return image.id();
  }
}
