package org.sluice.profile.trace;

/**
 * A write that succeeded.
 *
 * @param route the way that the bytes took
 * @param time begin of the write, in nanoseconds since the epoch
 * @param duration duration in nanoseconds, at least 0
 * @param offset offset in the file in bytes, at least 0
 * @param size bytes written, at least 0
 */
public record Write(
    TracedProcess origin,
    String file,
    Call call,
    Route route,
    long time,
    long duration,
    long offset,
    long size) {
  /** Returns the offset at which the write ended. */
  public long endOffset() {
    return offset + size;
  }

  /** Returns the end in nanoseconds since the epoch. */
  public long endTime() {
    return time + duration;
  }
}
