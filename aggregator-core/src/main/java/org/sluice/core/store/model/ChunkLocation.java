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

  // These methods are written out, as the JVM links those of a record anew at each start, which
  // takes milliseconds.

  @Override
  public boolean equals(final Object other) {
    return other instanceof final ChunkLocation location
        && location.container == container
        && location.position == position
        && location.used == used
        && location.crc == crc;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(container) * 31 + Long.hashCode(position);
  }
}
