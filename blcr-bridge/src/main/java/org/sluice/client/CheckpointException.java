package org.sluice.client;

import java.io.IOException;
import org.sluice.core.libc.Errno;

/**
 * An exception for a failed call of the client. The message says in one line what failed and why.
 */
public final class CheckpointException extends IOException {
  private static final long serialVersionUID = 1L;

  private final int errno;

  private CheckpointException(final String message, final int errno) {
    super(message);
    this.errno = errno;
  }

  /**
   * Returns the exception for the last failed call of this thread; {@code result} is a negative
   * errno.
   *
   * @param about begin of the message, such as {@code "image state: "}
   */
  static CheckpointException of(final String about, final long result) {
    final int errno = (int) -result;
    final String sentence = LibSluice.message();
    final String name = Errno.name(errno);
    final String error = sentence.contains(name) ? "" : " (%s)".formatted(name);
    return new CheckpointException(about + sentence + error, errno);
  }

  /**
   * Returns the error number.
   *
   * @return a positive error number, see {@link Errno}
   */
  public int errno() {
    return errno;
  }
}
