package org.sluice.iop.measure;

import org.sluice.core.posix.Errno;
import org.sluice.core.posix.PosixException;

/**
 * Why something was not brought to storage for good.
 *
 * @param errno the error number, over 0
 * @param reason the same in words
 */
public record Failure(int errno, String reason) {
  /**
   * What an exception says.
   *
   * @param exception any
   * @return with {@code EIO} when it tells no errno
   */
  public static Failure of(final Exception exception) {
    final int errno = exception instanceof PosixException posix ? posix.errno() : Errno.EIO;
    return new Failure(errno, String.valueOf(exception.getMessage()));
  }
}
