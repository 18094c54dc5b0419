package org.sluice.profile.trace;

/** The number of some writes, their bytes and their time. Not thread-safe. */
public final class Tally {
  private long writes;
  private long bytes;
  private long nanos;

  /** Creates a tally of no writes. */
  public Tally() {}

  /**
   * Returns a tally of writes without their time.
   *
   * @param writes number of writes
   * @param bytes bytes of all writes
   * @return the tally
   */
  public static Tally of(final long writes, final long bytes) {
    final Tally tally = new Tally();
    tally.writes = writes;
    tally.bytes = bytes;
    return tally;
  }

  /**
   * Adds another tally.
   *
   * @param other the other tally, which stays as it is
   */
  public void add(final Tally other) {
    writes += other.writes;
    bytes += other.bytes;
    nanos += other.nanos;
  }

  /**
   * Adds a write.
   *
   * @param write of any process
   */
  public void add(final Write write) {
    writes++;
    bytes += write.size();
    nanos += write.duration();
  }

  /**
   * Returns the number of writes.
   *
   * @return the number
   */
  public long writes() {
    return writes;
  }

  /**
   * Returns the bytes of all writes.
   *
   * @return the number of bytes
   */
  public long bytes() {
    return bytes;
  }

  /**
   * Returns the time of all writes.
   *
   * @return nanoseconds, summed over all processes
   */
  public long nanos() {
    return nanos;
  }

  /**
   * Returns the time of all writes.
   *
   * @return seconds, summed over all processes
   */
  public double seconds() {
    return nanos / 1e9;
  }

  /**
   * Returns the share of these writes in the number of all writes.
   *
   * @param whole all writes
   * @return the share in percent; 0 when there are no writes
   */
  public double percentOfWrites(final Tally whole) {
    return percent(writes, whole.writes);
  }

  /**
   * Returns the share of these writes in the data of all writes.
   *
   * @param whole all writes
   * @return the share in percent; 0 when there is no data
   */
  public double percentOfBytes(final Tally whole) {
    return percent(bytes, whole.bytes);
  }

  /**
   * Returns the share of these writes in the time of all writes.
   *
   * @param whole all writes
   * @return the share in percent; 0 when there is no time
   */
  public double percentOfTime(final Tally whole) {
    return percent(nanos, whole.nanos);
  }

  private static double percent(final long part, final long whole) {
    return whole == 0 ? 0 : 100.0 * part / whole;
  }
}
