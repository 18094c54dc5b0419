package org.sluice.iop.measure;

import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;

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

  /**
   * Whether bytes are missing, or a checkpoint alone that the store must not have.
   *
   * @return false where all are in the program's own files
   */
  public boolean losesBytes() {
    return errno != Errno.EEXIST;
  }

  /**
   * What a run ends with.
   *
   * @param remedy what to do about bytes that are missing
   * @return a line
   */
  public String line(final String remedy) {
    return losesBytes()
        ? "not all files reached storage: %s; %s".formatted(reason, remedy)
        : "not all checkpoints are committed: " + reason;
  }
}
