package org.sluice.profile.trace;

/** The number of some writes, their bytes and their time. Not thread-safe. */
public final class Tally {
  private long writes;
  private long bytes;
  private long nanos;

  /** Returns a tally of writes without their time. */
  public static Tally of(final long writes, final long bytes) {
    final Tally tally = new Tally();
    tally.writes = writes;
    tally.bytes = bytes;
    return tally;
  }

  public void add(final Tally other) {
    writes += other.writes;
    bytes += other.bytes;
    nanos += other.nanos;
  }

  public void add(final Write write) {
    writes++;
    bytes += write.size();
    nanos += write.time().duration();
  }

  public long writes() {
    return writes;
  }

  public long bytes() {
    return bytes;
  }

  /** Returns nanoseconds, summed over all processes. */
  public long nanos() {
    return nanos;
  }

  /** Returns seconds, summed over all processes. */
  public double seconds() {
    return nanos / 1e9;
  }

  /** Returns a share in percent; 0 when there are no writes. */
  public double percentOfWrites(final Tally whole) {
    return percent(writes, whole.writes);
  }

  /** Returns a share in percent; 0 when there is no data. */
  public double percentOfBytes(final Tally whole) {
    return percent(bytes, whole.bytes);
  }

  /** Returns a share in percent; 0 when there is no time. */
  public double percentOfTime(final Tally whole) {
    return percent(nanos, whole.nanos);
  }

  private static double percent(final long part, final long whole) {
    return whole == 0 ? 0 : 100.0 * part / whole;
  }
}
