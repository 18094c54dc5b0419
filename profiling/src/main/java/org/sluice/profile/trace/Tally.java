package org.sluice.profile.trace;

/** A number of writes, their bytes and their time. Not thread-safe. */
public final class Tally {
  private long writes;
  private long bytes;
  private long nanos;

  /** None yet. */
  public Tally() {}

  /**
   * Writes without their time.
   *
   * @param writes how many
   * @param bytes theirs
   * @return their tally
   */
  public static Tally of(final long writes, final long bytes) {
    final Tally tally = new Tally();
    tally.writes = writes;
    tally.bytes = bytes;
    return tally;
  }

  /**
   * Adds those of another one.
   *
   * @param other stays as it is
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
   * The writes.
   *
   * @return their number
   */
  public long writes() {
    return writes;
  }

  /**
   * What they wrote.
   *
   * @return bytes
   */
  public long bytes() {
    return bytes;
  }

  /**
   * Their time.
   *
   * @return nanoseconds, summed over all processes
   */
  public long nanos() {
    return nanos;
  }

  /**
   * Their time.
   *
   * @return seconds, summed over all processes
   */
  public double seconds() {
    return nanos / 1e9;
  }

  /**
   * Their share of the writes.
   *
   * @param whole all writes
   * @return percent, 0 of none
   */
  public double percentOfWrites(final Tally whole) {
    return percent(writes, whole.writes);
  }

  /**
   * Their share of the data.
   *
   * @param whole all writes
   * @return percent, 0 of none
   */
  public double percentOfBytes(final Tally whole) {
    return percent(bytes, whole.bytes);
  }

  /**
   * Their share of the time.
   *
   * @param whole all writes
   * @return percent, 0 of none
   */
  public double percentOfTime(final Tally whole) {
    return percent(nanos, whole.nanos);
  }

  private static double percent(final long part, final long whole) {
    return whole == 0 ? 0 : 100.0 * part / whole;
  }
}
