package org.sluice.iop.image;

import java.io.IOException;

/** No name leads to the file of an image any more, and nothing proves that it was deleted. */
public final class MissingException extends IOException {
  private static final long serialVersionUID = 1;

  /**
   * A file that is not found.
   *
   * @param path what the image is called
   * @param what is known of it
   */
  public MissingException(final String path, final String what) {
    this(path + ": " + what);
  }

  /**
   * A file that was not found.
   *
   * @param reason what was said of it
   */
  public MissingException(final String reason) {
    super(reason);
  }
}
