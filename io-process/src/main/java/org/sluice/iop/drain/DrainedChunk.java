package org.sluice.iop.drain;

import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.iop.crash.Lane;
import org.sluice.iop.crash.Subject;

/**
 * A chunk on its way through the write stage.
 *
 * @param index its index in the segment
 * @param generation tells its uses apart
 * @param slot who published it
 * @param memory where it lies in the segment
 * @param used its used length
 * @param crc of its records; 0 when no layout keeps chunks
 * @param extents its records
 */
record DrainedChunk(
    int index,
    int generation,
    int slot,
    UnsafeBuffer memory,
    int used,
    int crc,
    ExtentTable extents) {
  /** What tells a use of a chunk from all others. */
  static long id(final int index, final int generation) {
    return (long) index << Integer.SIZE | Integer.toUnsignedLong(generation);
  }

  /** Says that it is this chunk that is written. */
  void begin(final Lane lane) {
    lane.begin(Subject.CHUNK, id(index, generation), slot, Lane.NO_IMAGE);
  }
}
