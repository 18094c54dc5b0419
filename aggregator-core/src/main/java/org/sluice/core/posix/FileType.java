package org.sluice.core.posix;

import java.nio.file.Path;
import org.sluice.core.libc.PosixException;

/** The type of the thing that a name of a file system stands for. */
public enum FileType {
  /** A file with bytes. */
  REGULAR(010, "a file"),
  /** A directory, which has names. */
  DIRECTORY(004, "a directory"),
  /** A symbolic link, which has another path. */
  LINK(012, "a symbolic link"),
  /** A pipe with a name. */
  FIFO(001, "a FIFO"),
  /** A socket that a process listens on. */
  SOCKET(014, "a socket"),
  /** A device such as a terminal or {@code /dev/zero}. */
  CHARACTER_DEVICE(002, "a character device"),
  /** A device such as a disk. */
  BLOCK_DEVICE(006, "a block device"),
  /** A type that this version does not know. */
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

  /**
   * The type of the thing that a name stands for; a symbolic link is not followed.
   *
   * @param path the name
   * @return its type
   * @throws PosixException when there is none, or its type is unknown
   */
  public static FileType of(final Path path) throws PosixException {
    return FileStatus.of(path.toString()).type();
  }

  /**
   * The users' word for the type.
   *
   * @return a noun with its article
   */
  public String description() {
    return description;
  }
}
