/**
 * Chunks and the records in them: what a writer appends and what lies in containers. No state: a
 * {@code ChunkReader} belongs to the thread that made it. Chunks of the segment may change while
 * they are read; the reader checks each number before it uses it, and uses it from its own copy.
 */
package org.sluice.core.chunk;
