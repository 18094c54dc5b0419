package org.sluice.core.posix;

/**
 * A run of bytes of a file.
 *
 * @param offset its beginning, 0 or more
 * @param length its bytes, 1 or more
 */
public record Extent(long offset, long length) {
  /** Returns the offset of the first byte behind it. */
  public long end() {
    return offset + length;
  }
}
