package org.sluice.core.chunk;

import java.io.IOException;

/**
 * The damage of bytes that differ from their format or their checksum; the message names file and
 * offset.
 */
public final class DamagedException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String file;
  private final long offset;
  private final String reason;

  /**
   * Says that a file is damaged.
   *
   * @param file the damaged file
   * @param offset the place in it
   * @param reason the fault there
   */
  public DamagedException(final String file, final long offset, final String reason) {
    super(file + " is damaged at offset " + offset + ": " + reason);
    this.file = file;
    this.offset = offset;
    this.reason = reason;
  }

  /**
   * The damaged file.
   *
   * @return a file's name
   */
  public String file() {
    return file;
  }

  /**
   * The place in the file.
   *
   * @return bytes from its beginning
   */
  public long offset() {
    return offset;
  }

  /**
   * The fault there.
   *
   * @return a clause without the place
   */
  public String reason() {
    return reason;
  }

  /**
   * Tells this damage as one of the larger file that holds the damaged bytes.
   *
   * @param outer the larger file
   * @param position the beginning of the bytes in it
   * @return the exception to throw instead
   */
  public DamagedException in(final String outer, final long position) {
    final DamagedException damage = new DamagedException(outer, position + offset, reason);
    damage.initCause(this);
    return damage;
  }
}
