package org.sluice.profile.trace;

/**
 * A write that succeeded.
 *
 * @param route the way that the bytes took
 * @param offset offset in the file in bytes, at least 0
 * @param size bytes written, at least 0
 */
public record Write(
    TracedProcess origin,
    String file,
    Call call,
    Route route,
    CallTime time,
    long offset,
    long size) {
  /** Returns the offset of the first byte after the write. */
  public long endOffset() {
    return offset + size;
  }
}
