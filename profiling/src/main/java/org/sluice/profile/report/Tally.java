package org.sluice.profile.report;

import org.sluice.profile.trace.Write;

/** A number of writes, their bytes and their time. */
final class Tally {
  private long writes;
  private long bytes;
  private long nanos;

  static Tally of(final long writes, final long bytes) {
    final Tally tally = new Tally();
    tally.writes = writes;
    tally.bytes = bytes;
    return tally;
  }

  void add(final Tally other) {
    writes += other.writes;
    bytes += other.bytes;
    nanos += other.nanos;
  }

  void add(final Write write) {
    writes++;
    bytes += write.size();
    nanos += write.duration();
  }

  long writes() {
    return writes;
  }

  long bytes() {
    return bytes;
  }

  /** Summed over all processes. */
  long nanos() {
    return nanos;
  }

  double seconds() {
    return nanos / 1e9;
  }

  double percentOfWrites(final Tally whole) {
    return percent(writes, whole.writes);
  }

  double percentOfBytes(final Tally whole) {
    return percent(bytes, whole.bytes);
  }

  double percentOfTime(final Tally whole) {
    return percent(nanos, whole.nanos);
  }

  private static double percent(final long part, final long whole) {
    return whole == 0 ? 0 : 100.0 * part / whole;
  }
}
