package org.sluice.core.posix;

/**
 * A run of bytes of a file.
 *
 * @param offset where it begins, 0 or more
 * @param length how many bytes it has, 1 or more
 */
public record Extent(long offset, long length) {
  /**
   * Where it ends.
   *
   * @return offset of the first byte behind it
   */
  public long end() {
    return offset + length;
  }
}
