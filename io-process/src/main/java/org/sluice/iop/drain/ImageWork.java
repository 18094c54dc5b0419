package org.sluice.iop.drain;

import java.io.IOException;
import org.sluice.iop.crash.Subject;
import org.sluice.iop.image.Image;

/** Changes an image, in order with its chunks. A failure is the image's. */
public abstract class ImageWork implements Work {
  /** What is done to it; with the image, what an I/O process may fail at. */
  public enum Kind {
    /** It becomes direct. */
    DIRECT,
    /** Its own file gets everything. */
    SETTLE,
    /** It was truncated to nothing. */
    EMPTY,
    /** It is logged again. */
    DIVERT,
    /** Its size is corrected. */
    SIZE,
    /** Where its bytes are is forgotten. */
    RELEASE,
    /** It is brought to stable storage. */
    SYNC,
    /** A fresh file is put in its place. */
    REPLACE,
    /** Checkpoints get a copy of it. */
    UNSHARE
  }

  /** What the write stage does. */
  @FunctionalInterface
  interface Step {
    void apply() throws IOException;
  }

  /** What is changed. */
  protected final Image image;

  private final Kind kind;

  /**
   * A change.
   *
   * @param image the image
   * @param kind what is done to it
   */
  protected ImageWork(final Image image, final Kind kind) {
    this.image = image;
    this.kind = kind;
  }

  /** One that a single step of the write stage is. */
  static ImageWork of(final Image image, final Kind kind, final Step step) {
    return new ImageWork(image, kind) {
      @Override
      public void write() throws IOException {
        step.apply();
      }
    };
  }

  @Override
  public void fail(final IOException failure) {
    image.fail(failure);
  }

  @Override
  public final Subject subject() {
    return Subject.IMAGE;
  }

  @Override
  public final long id() {
    return kind.ordinal();
  }

  @Override
  public final int imageId() {
    return image.id();
  }
}
