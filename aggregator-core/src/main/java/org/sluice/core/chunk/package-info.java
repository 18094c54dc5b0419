/**
 * Chunks and the records in them, as a writer appends them and as containers hold them. No state: a
 * {@code ChunkReader} belongs to the thread that made it. Chunks of the segment may change while
 * they are read. The reader checks each number before it uses it, and uses it from its own copy.
 */
package org.sluice.core.chunk;
