package org.sluice.bench.node;

import java.util.ArrayList;
import java.util.List;

/**
 * The programs that the ranks of a benchmark are.
 *
 * @param fresh whether each rank is a program of its own, which has met no I/O process before its
 *     first checkpoint; else they are processes of one program
 * @param mpi the MPI library that a fresh one has loaded; empty for none
 * @param computes whether they take their cores between checkpoints
 */
record Programs(boolean fresh, String mpi, boolean computes) {
  /** Processes of one program, which wait idle between checkpoints. */
  static final Programs RESIDENT = new Programs(false, "", false);

  /** Returns the options of the program that replays. */
  List<String> options() {
    final List<String> options = new ArrayList<>();
    if (fresh) {
      options.add("--fresh");
    }
    if (!mpi.isEmpty()) {
      options.add("--library=" + mpi);
    }
    if (computes) {
      options.add("--computes");
    }
    return options;
  }

  @Override
  public String toString() {
    final String library = mpi.isEmpty() ? "without MPI" : "with " + mpi;
    return (fresh ? ", " + library : "") + (computes ? ", computing" : "");
  }
}
