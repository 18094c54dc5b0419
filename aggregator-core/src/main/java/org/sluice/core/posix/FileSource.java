package org.sluice.core.posix;

import java.io.IOException;

/** A file that may have to be opened before it can be used. */
@FunctionalInterface
public interface FileSource {
  /**
   * Lends the open file.
   *
   * @return the file, open at least until the loan is closed
   * @throws IOException when it cannot be opened, or is not the file that it was
   */
  Loan lend() throws IOException;

  /**
   * A source that lends what is open already.
   *
   * @param file stays open
   * @return its source
   */
  static FileSource of(final NativeFile file) {
    return () -> new Loan(file, () -> {});
  }

  /**
   * An open file for a while.
   *
   * @param file the file, which only {@link #close} closes
   * @param end gives it back
   */
  record Loan(NativeFile file, End end) implements AutoCloseable {
    @Override
    public void close() throws IOException {
      end.run();
    }
  }

  /** Gives a file back. */
  @FunctionalInterface
  interface End {
    /**
     * Does it.
     *
     * @throws IOException when closing it fails
     */
    void run() throws IOException;
  }
}
