package org.sluice.iop.drain;

import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.chunk.ChunkReader;

/**
 * What the I/O process saw of an open chunk, which its owner may still append to.
 *
 * @param reader of its records
 * @param memory where it lies in the segment
 * @param index its index in the segment
 * @param generation tells its uses apart
 * @param end of the last record that was seen
 */
record Peek(ChunkReader reader, UnsafeBuffer memory, int index, int generation, int end) {}
