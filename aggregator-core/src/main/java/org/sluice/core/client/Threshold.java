package org.sluice.core.client;

import org.sluice.core.segment.Header;
import org.sluice.core.segment.HeaderDescriptor;
import org.sluice.core.segment.Segment;

/** Decides which writes are large enough to go to the image's own file at once. */
final class Threshold {
  /** The auto policy logs writes below this as long as there is a chunk. */
  static final long AUTO_FLOOR = 64 * 1024;

  private final Header header;
  private final long chunkCount;
  private final long chunkLength;

  Threshold(final Segment segment) {
    this.header = segment.header();
    this.chunkCount = segment.geometry().chunkCount();
    this.chunkLength = segment.geometry().chunkLength();
  }

  /**
   * Whether a write goes direct.
   *
   * @param length bytes of the write
   * @return true from the threshold on
   */
  boolean isDirect(final long length) {
    return length >= limit();
  }

  private long limit() {
    if (header.policy() == HeaderDescriptor.POLICY_FIXED) {
      return header.threshold();
    }
    final long free = header.freeChunks();
    return 2 * free >= chunkCount ? Long.MAX_VALUE : Math.max(AUTO_FLOOR, free * chunkLength / 8);
  }
}
