package org.sluice.core.chunk;

import java.io.IOException;

/** Something is of a format version that this program does not know; it is not damaged. */
public final class FormatVersionException extends IOException {
  private static final long serialVersionUID = 1L;

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
  }
}
