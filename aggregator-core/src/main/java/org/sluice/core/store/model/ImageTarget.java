package org.sluice.core.store.model;

import java.io.IOException;

/** Takes the bytes of an image, such as {@code file::pwrite}. */
@FunctionalInterface
public interface ImageTarget {
  /**
   * Writes memory.
   *
   * @param address where it begins
   * @param length its bytes, 1 or more
   * @param offset where it goes in the image
   * @throws IOException when that fails
   */
  void write(long address, long length, long offset) throws IOException;
}
