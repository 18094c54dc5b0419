package org.sluice.core.chunk;

import java.io.IOException;

/** Something is of a format version that this program does not know; it is not damaged. */
public final class FormatVersionException extends IOException {
  private static final long serialVersionUID = 1L;

  private final int found;
  private final int known;

  /**
   * A version this program does not know.
   *
   * @param what what has it
   * @param found its version
   * @param known the version this program knows
   */
  public FormatVersionException(final String what, final int found, final int known) {
    super(
        found > known
            ? "%s has format version %d, newer than %d; use the newer sluice that wrote it"
                .formatted(what, found, known)
            : "%s has format version %d, older than %d; use the older sluice that wrote it"
                .formatted(what, found, known));
    this.found = found;
    this.known = known;
  }

  /**
   * The same, where it stands.
   *
   * @param outer the file
   * @param position its offset there
   * @return what names both
   */
  public FormatVersionException in(final String outer, final long position) {
    final FormatVersionException other =
        new FormatVersionException("%s at offset %d".formatted(outer, position), found, known);
    other.initCause(this);
    return other;
  }
}
