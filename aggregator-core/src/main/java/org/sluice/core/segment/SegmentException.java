package org.sluice.core.segment;

import java.io.IOException;

/** Why a segment cannot be created or mapped. The message is one line and names the file. */
public final class SegmentException extends IOException {
  private static final long serialVersionUID = 1L;

  /** The kinds of refusal. */
  public enum Reason {
    /** The file is no segment at all, or was never finished. */
    NOT_A_SEGMENT,
    /** The segment is of another version of the format. */
    OTHER_VERSION,
    /** The file is shorter than its header says, or the header contradicts itself. */
    DAMAGED,
    /** The segment does not fit where it is to be. */
    NO_ROOM,
    /** This machine is not Linux on little-endian x86-64 or aarch64. */
    UNSUPPORTED_PLATFORM
  }

  private final Reason reason;

  SegmentException(final Reason reason, final String message) {
    super(message);
    this.reason = reason;
  }

  /**
   * What kind of refusal this is.
   *
   * @return the reason
   */
  public Reason reason() {
    return reason;
  }
}
