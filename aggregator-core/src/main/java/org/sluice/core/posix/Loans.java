package org.sluice.core.posix;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Open files that are borrowed together, and given back together. Not thread-safe. */
public final class Loans implements AutoCloseable {
  private final List<FileSource.Loan> loans = new ArrayList<>();

  /** Creates loans of no file. */
  public Loans() {}

  /**
   * Borrows a file.
   *
   * @param source source of the file
   * @return the file, open until {@link #close}
   * @throws IOException when it cannot be opened
   */
  public NativeFile borrow(final FileSource source) throws IOException {
    final FileSource.Loan loan = source.lend();
    loans.add(loan);
    return loan.file();
  }

  /**
   * Returns the borrowed files.
   *
   * @return each once
   */
  public List<NativeFile> files() {
    return loans.stream().map(FileSource.Loan::file).distinct().toList();
  }

  /** Gives all files back, also after a failure. */
  @Override
  public void close() throws IOException {
    IOException failure = null;
    for (final FileSource.Loan loan : loans) {
      try {
        loan.close();
      } catch (final IOException e) {
        failure = failure == null ? e : failure;
      }
    }
    loans.clear();
    if (failure != null) {
      throw failure;
    }
  }
}
