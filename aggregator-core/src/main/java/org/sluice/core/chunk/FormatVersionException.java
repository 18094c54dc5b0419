package org.sluice.core.chunk;

import java.io.IOException;

/** The refusal of a format version that this program does not know; nothing is damaged. */
public abstract sealed class FormatVersionException extends IOException {
  private static final long serialVersionUID = 2L;

  private final int found;
  private final int known;

  private FormatVersionException(
      final String what, final String age, final int found, final int known) {
    super(
        "%s has format version %d, %s than %d; use the %s sluice that wrote it"
            .formatted(what, found, age, known, age));
    this.found = found;
    this.known = known;
  }

  /** {@return a {@link TooOld} or a {@link TooNew}} */
  public static FormatVersionException of(final String what, final int found, final int known) {
    return found > known ? new TooNew(what, found, known) : new TooOld(what, found, known);
  }

  /** Tells this refusal as one of the larger file that holds the refused bytes. */
  public FormatVersionException in(final String outer, final long position) {
    final FormatVersionException other = of(outer + " at offset " + position, found, known);
    other.initCause(this);
    return other;
  }

  /** An older sluice wrote it. */
  public static final class TooOld extends FormatVersionException {
    private static final long serialVersionUID = 2L;

    private TooOld(final String what, final int found, final int known) {
      super(what, "older", found, known);
    }
  }

  /** A newer sluice wrote it. */
  public static final class TooNew extends FormatVersionException {
    private static final long serialVersionUID = 2L;

    private TooNew(final String what, final int found, final int known) {
      super(what, "newer", found, known);
    }
  }
}
