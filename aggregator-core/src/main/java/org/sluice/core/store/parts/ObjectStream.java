package org.sluice.core.store.parts;

import org.sluice.core.store.objects.Upload;
import org.sluice.core.store.series.PartKey;

/**
 * The place of a part's bytes at an engine: one after the other through as few objects as possible.
 * Each object is full but the last.
 *
 * @param length bytes of a full object
 */
record ObjectStream(PartKey part, long length) {
  /** The bytes that every engine can store in one object. */
  private static final long FULL = (long) Upload.PIECE * Upload.MOST_PIECES;

  ObjectStream(final PartKey part) {
    this(part, FULL);
  }

  String key(final long position) {
    return part.data() + position / length;
  }

  long offset(final long position) {
    return position % length;
  }

  /** Returns how many of some bytes are in the object of the first. */
  long within(final long position, final long bytes) {
    return Math.min(bytes, length - offset(position));
  }
}
