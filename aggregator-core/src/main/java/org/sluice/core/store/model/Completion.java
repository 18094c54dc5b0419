package org.sluice.core.store.model;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The reason why a checkpoint counts as complete. Journals have the ordinals of these. */
public enum Completion {
  /** Every rank said so by request. */
  API,
  /** The program wrote a file that says so. */
  MARKER,
  /** As many ranks as there are have closed as many files as each writes. */
  COUNT,
  /** Every rank of an MPI job said so, and its coordinator decided. */
  MPI;

  public boolean isByRequest() {
    return this == API || this == MPI;
  }

  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<Completion> of(final String label) {
    return Arrays.stream(values()).filter(each -> each.label().equals(label)).findFirst();
  }
}
