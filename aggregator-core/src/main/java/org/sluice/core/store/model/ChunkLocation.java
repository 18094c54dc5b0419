package org.sluice.core.store.model;

/**
 * The place of a drained chunk.
 *
 * @param container the container's id
 * @param position the chunk's offset in it, a multiple of 4096
 * @param used the chunk's used length, its header included
 * @param crc the crc of its records
 */
public record ChunkLocation(long container, long position, int used, int crc) {
  /** The place of a chunk that is in no container. */
  public static final ChunkLocation NONE = new ChunkLocation(0, 0, 0, 0);
}
