package org.sluice.core.chunk;

import java.io.IOException;

/** Something is of a format version that this program does not know; it is not damaged. */
public final class FormatVersionException extends IOException {
  private static final long serialVersionUID = 3L;

  private final int found;
  private final int known;

  /**
   * A version that this program does not know.
   *
   * @param what what has it, for the message
   * @param found its version
   * @param known the version this program knows
   */
  public FormatVersionException(final String what, final int found, final int known) {
    super(
        "%s has format version %d, %3$s than %4$d; use the %3$s sluice that wrote it"
            .formatted(what, found, found > known ? "newer" : "older", known));
    this.found = found;
    this.known = known;
  }

  /**
   * Tells this refusal as one of the larger file that holds the refused bytes.
   *
   * @param outer the larger file
   * @param position where the bytes begin in it
   * @return what to throw instead
   */
  public FormatVersionException in(final String outer, final long position) {
    final FormatVersionException other =
        new FormatVersionException(outer + " at offset " + position, found, known);
    other.initCause(this);
    return other;
  }
}
