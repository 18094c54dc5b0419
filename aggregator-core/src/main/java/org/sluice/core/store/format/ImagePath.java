package org.sluice.core.store.format;

import java.util.Arrays;
import org.sluice.core.posix.FileName;

/** The path of an image, which may never lead out of the directory it is put into. */
public final class ImagePath {
  static final int MAX_LENGTH = 4095;

  private ImagePath() {}

  /**
   * Returns whether a string may be the path of an image.
   *
   * @param path relative path, of names parted by single slashes, none of them {@code .} or {@code
   *     ..}
   * @return false also when it is empty, longer than 4095 bytes, or has a NUL
   */
  public static boolean isValid(final String path) {
    return path.indexOf('\0') < 0
        && FileName.length(path) <= MAX_LENGTH
        && Arrays.stream(path.split("/", -1)).allMatch(ImagePath::isName);
  }

  private static boolean isName(final String name) {
    return !name.isEmpty() && !name.equals(".") && !name.equals("..");
  }
}
