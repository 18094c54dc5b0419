package org.sluice.core.segment;

import java.io.IOException;

/**
 * The reason why a segment cannot be created or mapped. The message is one line and names the file.
 */
public final class SegmentException extends IOException {
  private static final long serialVersionUID = 2L;

  private final boolean noRoom;

  SegmentException(final String message) {
    this(message, false);
  }

  SegmentException(final String message, final boolean noRoom) {
    super(message);
    this.noRoom = noRoom;
  }

  /** Tells whether the segment does not fit where it is to be. */
  public boolean isNoRoom() {
    return noRoom;
  }
}
