package org.sluice.core.client;

import java.io.IOException;
import org.sluice.core.posix.Errno;

/** The I/O process refused a request; the message is its sentence and the errno's name. */
public final class RequestFailedException extends IOException {
  private static final long serialVersionUID = 1L;

  private final int errno;

  RequestFailedException(final int errno, final String sentence) {
    super(
        sentence.contains(Errno.describe(errno))
            ? sentence
            : "%s: %s".formatted(sentence, Errno.describe(errno)));
    this.errno = errno;
  }

  /**
   * Why it refused.
   *
   * @return a positive error number, see {@link Errno}
   */
  public int errno() {
    return errno;
  }
}
