package org.sluice.core.libc;

import java.io.IOException;

/** A system call failed; the message names the operation and the file. */
public final class PosixException extends IOException {
  private static final long serialVersionUID = 1L;

  private final int errno;

  /**
   * @param operation the operation that was tried, with the file's name, such as {@code write
   *     /store/x.data}
   */
  public PosixException(final String operation, final int errno) {
    super("cannot %s: %s%s".formatted(operation, Errno.describe(errno), remedy(errno)));
    this.errno = errno;
  }

  private PosixException(final String where, final PosixException cause) {
    super(where + ": " + cause.getMessage(), cause);
    this.errno = cause.errno;
  }

  /**
   * Returns this error with its meaning in words, such as {@code x has lost bytes}, under the same
   * errno.
   */
  public PosixException as(final String what) {
    return new PosixException(what, this);
  }

  /** Throws this again unless it tells of an error that its caller expects. */
  public void throwUnless(final int expected) throws PosixException {
    if (errno != expected) {
      throw this;
    }
  }

  private static String remedy(final int errno) {
    return switch (errno) {
      case Errno.ENOSPC -> "; make room there";
      case Errno.EFBIG -> "; raise the limit of the size of files (ulimit -f)";
      case Errno.EDQUOT -> "; raise the quota or make room there";
      case Errno.EROFS -> "; mount it for writing";
      case Errno.EIO -> "; see dmesg for what is wrong with the disk";
      default -> "";
    };
  }

  /** Returns a positive error number, see {@link Errno}. */
  public int errno() {
    return errno;
  }
}
