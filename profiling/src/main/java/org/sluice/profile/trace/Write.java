package org.sluice.profile.trace;

/**
 * A write that succeeded.
 *
 * @param origin the process that made it
 * @param file path of the file
 * @param call the function it was made with
 * @param route the way its bytes took
 * @param time when it began, in nanoseconds since the epoch
 * @param duration how long it took, in nanoseconds, at least 0
 * @param offset where in the file, at least 0
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
  /**
   * Where in the file it ended.
   *
   * @return the offset of the first byte after it
   */
  public long endOffset() {
    return offset + size;
  }

  /**
   * When it ended.
   *
   * @return nanoseconds since the epoch
   */
  public long endTime() {
    return time + duration;
  }
}
