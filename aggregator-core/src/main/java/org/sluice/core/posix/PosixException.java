package org.sluice.core.posix;

import java.io.IOException;

/** A system call failed; the message names the operation and the file. */
public final class PosixException extends IOException {
  private static final long serialVersionUID = 1L;

  private final int errno;

  /**
   * A failed system call.
   *
   * @param operation what was tried, with the file's name, such as {@code write /store/x.data}
   * @param errno why it failed
   */
  public PosixException(final String operation, final int errno) {
    super("cannot %s: %s".formatted(operation, Errno.describe(errno)));
    this.errno = errno;
  }

  /**
   * Why it failed.
   *
   * @return a positive error number, see {@link Errno}
   */
  public int errno() {
    return errno;
  }
}
