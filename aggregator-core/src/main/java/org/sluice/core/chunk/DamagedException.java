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

  public DamagedException(final String file, final long offset, final String reason) {
    super(file + " is damaged at offset " + offset + ": " + reason);
    this.file = file;
    this.offset = offset;
    this.reason = reason;
  }

  public String file() {
    return file;
  }

  /** Returns bytes from the file's beginning. */
  public long offset() {
    return offset;
  }

  public String reason() {
    return reason;
  }

  /** Tells this damage as one of the larger file that holds the damaged bytes. */
  public DamagedException in(final String outer, final long position) {
    final DamagedException damage = new DamagedException(outer, position + offset, reason);
    damage.initCause(this);
    return damage;
  }
}
