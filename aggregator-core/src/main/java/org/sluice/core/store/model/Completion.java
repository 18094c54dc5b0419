package org.sluice.core.store.model;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** By what a checkpoint counts as complete. Journals have their ordinals. */
public enum Completion {
  /** Every rank said so by request. */
  API,
  /** The program wrote a file that says so. */
  MARKER,
  /** As many ranks as there are have closed as many files as each writes. */
  COUNT,
  /** Every rank of an MPI job said so, and its coordinator decided. */
  MPI;

  /**
   * Whether a request made the checkpoint.
   *
   * @return false when its files did
   */
  public boolean isByRequest() {
    return this == API || this == MPI;
  }

  /**
   * What manifests and users call it.
   *
   * @return one word
   */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * The way of completion with a label.
   *
   * @param label one word
   * @return empty where none has it
   */
  public static Optional<Completion> of(final String label) {
    return Arrays.stream(values()).filter(each -> each.label().equals(label)).findFirst();
  }
}
