package org.sluice.core.segment;

/**
 * The threshold of the auto policy, by the room left in the buffer.
 *
 * <p>With room a copy beats a file write at every size, so nothing goes direct while half of the
 * chunks are free. The larger the write, the less a byte of room saves. So as the buffer fills, the
 * largest writes leave first: those that would take more than an eighth of the free room.
 */
final class AutoThreshold {
  /** Writes below this are logged as long as there is a chunk. */
  public static final long FLOOR = 64 * 1024;

  private AutoThreshold() {}

  /**
   * The size from which on a write goes direct.
   *
   * @param free free chunks; a hint that may be off by a few
   * @return bytes, at least {@link #FLOOR}; {@link Long#MAX_VALUE} when no write goes direct
   */
  public static long of(final long free, final long count, final long chunkLength) {
    return 2 * free >= count ? Long.MAX_VALUE : Math.max(FLOOR, free * chunkLength >> 3);
  }
}
