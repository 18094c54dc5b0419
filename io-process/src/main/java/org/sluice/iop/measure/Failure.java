package org.sluice.iop.measure;

import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;

/**
 * The reason for which something was not brought to storage for good.
 *
 * @param errno the error number, over 0
 */
public record Failure(int errno, String reason) {
  /**
   * Returns the failure that an exception stands for, with {@code EIO} when the exception tells no
   * errno.
   */
  public static Failure of(final Exception exception) {
    final int errno = exception instanceof PosixException posix ? posix.errno() : Errno.EIO;
    return new Failure(errno, String.valueOf(exception.getMessage()));
  }

  /**
   * Returns whether bytes are missing. Else only a checkpoint is missing, which the store must not
   * have.
   */
  public boolean losesBytes() {
    return errno != Errno.EEXIST;
  }

  /** Returns the message that a run ends with. */
  public String line(final String remedy) {
    return losesBytes()
        ? "not all files reached storage: %s; %s".formatted(reason, remedy)
        : "not all checkpoints are committed: " + reason;
  }
}
