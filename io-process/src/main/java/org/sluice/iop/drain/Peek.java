package org.sluice.iop.drain;

import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.chunk.ChunkReader;

/**
 * The I/O process's view of an open chunk, which its owner may still append to.
 *
 * @param end end of the last record that was seen
 */
record Peek(ChunkReader reader, UnsafeBuffer memory, int index, int generation, int end) {}
