package org.sluice.core.libc;

import java.util.stream.IntStream;

/** The error numbers Sluice tells apart; the same on x86-64 and aarch64. */
public final class Errno {
  public static final int EPERM = 1;

  public static final int ENOENT = 2;

  public static final int EINTR = 4;

  public static final int EIO = 5;

  /** No data behind this offset. */
  public static final int ENXIO = 6;

  public static final int EBADF = 9;

  public static final int EAGAIN = 11;

  public static final int EACCES = 13;

  /** Bad address; of a mapping: its file cannot back it. */
  public static final int EFAULT = 14;

  public static final int EBUSY = 16;

  public static final int EEXIST = 17;

  public static final int EXDEV = 18;

  public static final int ENOTDIR = 20;

  public static final int EISDIR = 21;

  public static final int EINVAL = 22;

  public static final int ENFILE = 23;

  public static final int EMFILE = 24;

  public static final int EFBIG = 27;

  public static final int ENOSPC = 28;

  public static final int EROFS = 30;

  public static final int ENAMETOOLONG = 36;

  /** Too many symbolic links, or one where none may be. */
  public static final int ELOOP = 40;

  public static final int EMLINK = 31;

  /** Nobody reads the pipe any more. */
  public static final int EPIPE = 32;

  /** Protocol error: the other side sent what makes no sense. */
  public static final int EPROTO = 71;

  /** Protocol not supported: the other side is of another release. */
  public static final int EPROTONOSUPPORT = 93;

  public static final int EOPNOTSUPP = 95;

  public static final int ETIMEDOUT = 110;

  public static final int ESTALE = 116;

  /** No data available. */
  public static final int ENODATA = 61;

  public static final int EDQUOT = 122;

  /** Operation canceled. */
  public static final int ECANCELED = 125;

  private static final int LAST = 133;

  private Errno() {}

  /** Returns the error number of a name such as {@code ENOSPC}; 0 when there is none. */
  public static int named(final String name) {
    return IntStream.rangeClosed(1, LAST)
        .filter(errno -> name(errno).equals(name))
        .findFirst()
        .orElse(0);
  }

  /** Returns the name of an error, such as {@code ENOSPC}; empty when it has none. */
  public static String name(final int errno) {
    return LibC.STRERRORNAME_NP.text(errno);
  }

  /**
   * Returns the C library's words for an error, such as {@code No space left on device (ENOSPC)}.
   */
  public static String describe(final int errno) {
    final String name = name(errno);
    return name.isEmpty()
        ? "error " + errno
        : "%s (%s)".formatted(LibC.STRERRORDESC_NP.text(errno), name);
  }
}
