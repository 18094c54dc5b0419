package org.sluice.core.posix;

import java.nio.file.Path;
import org.sluice.core.libc.PosixException;

/** The type of the thing that a name of a file system stands for. */
public enum FileType {
  REGULAR(010, "a file"),
  DIRECTORY(004, "a directory"),
  LINK(012, "a symbolic link"),
  FIFO(001, "a FIFO"),
  SOCKET(014, "a socket"),
  CHARACTER_DEVICE(002, "a character device"),
  BLOCK_DEVICE(006, "a block device"),
  OTHER(0, "of an unknown type");

  private static final int SHIFT = 12;
  private static final int MASK = 017;

  private final int bits;
  private final String description;

  FileType(final int bits, final String description) {
    this.bits = bits;
    this.description = description;
  }

  static FileType of(final int mode) {
    for (final FileType type : values()) {
      if (type.bits == (mode >> SHIFT & MASK)) {
        return type;
      }
    }
    return OTHER;
  }

  /** The type of the thing that a name stands for; a symbolic link is not followed. */
  public static FileType of(final Path path) throws PosixException {
    return FileStatus.of(path.toString()).type();
  }

  public String description() {
    return description;
  }
}
