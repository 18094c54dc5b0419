package org.sluice.core.libc;

import java.util.stream.IntStream;

/** The error numbers Sluice tells apart; the same on x86-64 and aarch64. */
public final class Errno {
  /** Operation not permitted. */
  public static final int EPERM = 1;

  /** No such file or directory. */
  public static final int ENOENT = 2;

  /** Interrupted by a signal. */
  public static final int EINTR = 4;

  /** Input/output error. */
  public static final int EIO = 5;

  /** No data behind this offset. */
  public static final int ENXIO = 6;

  /** No such descriptor. */
  public static final int EBADF = 9;

  /** Would block. */
  public static final int EAGAIN = 11;

  /** Permission denied. */
  public static final int EACCES = 13;

  /** Bad address; of a mapping: its file cannot back it. */
  public static final int EFAULT = 14;

  /** Busy. */
  public static final int EBUSY = 16;

  /** Exists already. */
  public static final int EEXIST = 17;

  /** On another file system. */
  public static final int EXDEV = 18;

  /** Not a directory. */
  public static final int ENOTDIR = 20;

  /** Is a directory. */
  public static final int EISDIR = 21;

  /** Invalid argument. */
  public static final int EINVAL = 22;

  /** No descriptor left on the node. */
  public static final int ENFILE = 23;

  /** No descriptor left in the process. */
  public static final int EMFILE = 24;

  /** Larger than a file may be. */
  public static final int EFBIG = 27;

  /** No space left. */
  public static final int ENOSPC = 28;

  /** Read-only file system. */
  public static final int EROFS = 30;

  /** Name too long. */
  public static final int ENAMETOOLONG = 36;

  /** Too many symbolic links, or one where none may be. */
  public static final int ELOOP = 40;

  /** Too many links. */
  public static final int EMLINK = 31;

  /** Protocol error: the other side sent what makes no sense. */
  public static final int EPROTO = 71;

  /** Protocol not supported: the other side is of another release. */
  public static final int EPROTONOSUPPORT = 93;

  /** Not supported. */
  public static final int EOPNOTSUPP = 95;

  /** Timed out. */
  public static final int ETIMEDOUT = 110;

  /** Stale. */
  public static final int ESTALE = 116;

  /** Disk quota exceeded. */
  public static final int EDQUOT = 122;

  private static final int LAST = 133;

  private Errno() {}

  /**
   * The error of a name.
   *
   * @param name such as {@code ENOSPC}
   * @return an error number; 0 when there is none
   */
  public static int named(final String name) {
    return IntStream.rangeClosed(1, LAST)
        .filter(errno -> name(errno).equals(name))
        .findFirst()
        .orElse(0);
  }

  /**
   * The name of an error.
   *
   * @param errno an error number
   * @return such as {@code ENOSPC}; empty when there is none of that number
   */
  public static String name(final int errno) {
    return LibC.STRERRORNAME_NP.text(errno);
  }

  /**
   * The C library's words for an error.
   *
   * @param errno an error number
   * @return such as {@code No space left on device (ENOSPC)}
   */
  public static String describe(final int errno) {
    final String name = name(errno);
    return name.isEmpty()
        ? "error " + errno
        : "%s (%s)".formatted(LibC.STRERRORDESC_NP.text(errno), name);
  }
}
