package org.sluice.iop.measure;

/**
 * The kinds of work whose durations the I/O process measures. Processes measure their own waits
 * besides.
 */
public enum Timed {
  OPEN("sluice.open", "openings of captured files, from request to answer"),
  /** A write of drained chunks to storage, several at once if several are there. */
  DRAIN_WRITE("sluice.drain.write", "writes of drained chunks to storage"),
  /** A wait for storage: of a program's {@code fsync}, or in the files layout of a close. */
  SYNC("sluice.sync", "syncs of an image to stable storage"),
  /** A commit: containers, image files, index, manifest. */
  COMMIT("sluice.commit", "commits of a drained checkpoint to stable storage"),
  /** A closed file that programs outside could open with bytes missing, from its close on. */
  UNHELD("sluice.unheld", "times from a close until programs outside wait for the file");

  private final String meter;
  private final String description;

  Timed(final String meter, final String description) {
    this.meter = meter;
    this.description = description;
  }

  String meter() {
    return meter;
  }

  String description() {
    return description;
  }
}
