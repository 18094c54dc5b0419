package org.sluice.iop.drain;

import org.sluice.core.chunk.ChunkReader;

/**
 * The means by which the first stage reads chunks. Other stages only give tables back.
 *
 * @param sessionId read once: the segment may hold anything by now
 * @param tables tables of records on their way to the write stage; any thread
 */
record ChunkReading(
    long sessionId, AppendRights grants, ChunkReader reader, ExtentTable.Pool tables) {}
