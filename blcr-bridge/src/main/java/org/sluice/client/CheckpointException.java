package org.sluice.client;

import java.io.IOException;
import org.sluice.core.libc.Errno;

/** A call of the client failed; the message says in one line what and why. */
public final class CheckpointException extends IOException {
  private static final long serialVersionUID = 1L;

  private final int errno;

  private CheckpointException(final String message, final int errno) {
    super(message);
    this.errno = errno;
  }

  /**
   * What the failed call of this thread left; {@code result} is a negative errno.
   *
   * @param about what the sentence begins with, such as {@code "image state: "}
   */
  static CheckpointException of(final String about, final long result) {
    final int errno = (int) -result;
    final String sentence = LibSluice.message();
    final String name = Errno.name(errno);
    final String error = sentence.contains(name) ? "" : " (%s)".formatted(name);
    return new CheckpointException(about + sentence + error, errno);
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
