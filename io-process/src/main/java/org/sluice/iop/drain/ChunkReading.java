package org.sluice.iop.drain;

import org.sluice.core.chunk.ChunkReader;

/**
 * The means by which the first stage reads chunks. Each other stage only gives tables back.
 *
 * @param sessionId read once: what is in the segment may be anything by now
 * @param grants who may append to what
 * @param reader of records
 * @param tables of records on their way to the write stage; any thread
 */
record ChunkReading(
    long sessionId, AppendRights grants, ChunkReader reader, ExtentTable.Pool tables) {}
