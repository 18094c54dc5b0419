package org.sluice.core.store.model;

import java.io.IOException;

/** A receiver of the bytes of an image, such as {@code file::pwrite}. */
@FunctionalInterface
public interface ImageTarget {
  /**
   * @param length its bytes, 1 or more
   * @param offset offset of the bytes in the image
   */
  void write(long address, long length, long offset) throws IOException;
}
