package org.sluice.iop.drain;

import org.sluice.core.chunk.ChunkReader;

/**
 * The means by which the first stage reads chunks.
 *
 * @param sessionId read once: the segment may hold anything by now
 * @param tables tables of records of chunks that are not released yet
 */
record ChunkReading(
    long sessionId, AppendRights grants, ChunkReader reader, ExtentTable.Pool tables) {}
