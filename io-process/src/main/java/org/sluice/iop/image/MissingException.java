package org.sluice.iop.image;

import java.io.IOException;

/** No name leads to the file of an image any more, and nothing proves that it was deleted. */
public final class MissingException extends IOException {
  private static final long serialVersionUID = 1;

  /** Creates the failure of a file that is not found. */
  public MissingException(final String path, final String what) {
    this(path + ": " + what);
  }

  public MissingException(final String reason) {
    super(reason);
  }
}
