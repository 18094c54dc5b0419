package org.sluice.core.posix;

import java.io.IOException;

/** A file that may have to be opened before it can be used. */
@FunctionalInterface
public interface FileSource {
  /** Lends the file, open at least until the loan is closed. */
  Loan lend() throws IOException;

  static FileSource of(final NativeFile file) {
    return () -> new Loan(file, () -> {});
  }

  /**
   * An open file for a while.
   *
   * @param file the file, which only {@link #close} closes
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
    void run() throws IOException;
  }
}
