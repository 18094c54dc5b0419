package org.sluice.core.store.model;

/**
 * A piece of an image's own file.
 *
 * @param offset begin of the piece, 0 or more
 * @param length its bytes, from 1 to 1 MiB
 * @param crc their crc
 */
public record Block(long offset, int length, int crc) {
  /** The bytes of the longest block. */
  public static final int MAX_LENGTH = 1 << 20;

  /** The offset behind the piece. */
  public long end() {
    return offset + length;
  }
}
