package org.sluice.core.store.parts;

import org.sluice.core.store.objects.Upload;
import org.sluice.core.store.series.PartKey;

/**
 * Where the bytes of a part are at an engine: one behind the other through as few objects as there
 * can be, each of which is full but the last.
 *
 * @param part the part's key
 * @param length bytes of an object that is full
 */
record ObjectStream(PartKey part, long length) {
  /** What every engine can store. */
  private static final long FULL = (long) Upload.PIECE * Upload.MOST_PIECES;

  ObjectStream(final PartKey part) {
    this(part, FULL);
  }

  /** The object that has a byte. */
  String key(final long position) {
    return part.data() + position / length;
  }

  /** Where in that object it is. */
  long offset(final long position) {
    return position % length;
  }

  /** Of some bytes, how many are in the object of the first one. */
  long within(final long position, final long bytes) {
    return Math.min(bytes, length - offset(position));
  }
}
