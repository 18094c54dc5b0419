package org.sluice.iop.drain;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * A chunk on its way through the write stage.
 *
 * @param index its index in the segment
 * @param generation tells its uses apart
 * @param memory where it lies in the segment
 * @param used its used length
 * @param crc of its records; 0 when no layout keeps chunks
 * @param extents its records
 */
record DrainedChunk(
    int index, int generation, UnsafeBuffer memory, int used, int crc, ExtentTable extents) {}
