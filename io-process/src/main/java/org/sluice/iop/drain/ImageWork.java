package org.sluice.iop.drain;

import java.io.IOException;
import org.sluice.core.fault.Fault;
import org.sluice.iop.crash.Subject;
import org.sluice.iop.image.Image;

/** A change of an image, in order with its chunks. A failure is the image's. */
public abstract class ImageWork implements Work {
  /** The kind of a change. With the image it names the step at which an I/O process may fail. */
  public enum Kind {
    DIRECT,
    SETTLE,
    EMPTY,
    DIVERT,
    SIZE,
    /** The drain forgets where the image's bytes are. */
    RELEASE,
    SYNC,
    /** A fresh file takes the place of the image's file. */
    REPLACE,
    /** Checkpoints get a copy of the image. */
    UNSHARE
  }

  protected final Image image;

  private final Kind kind;

  protected ImageWork(final Image image, final Kind kind) {
    this.image = image;
    this.kind = kind;
    image.held().use();
  }

  /** Returns a change that is a single step of the write stage. */
  static ImageWork of(final Image image, final Kind kind, final Fault.Step<IOException> step) {
    return new ImageWork(image, kind) {
      @Override
      public void write() throws IOException {
        step.run();
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
