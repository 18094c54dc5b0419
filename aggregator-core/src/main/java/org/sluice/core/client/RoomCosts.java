package org.sluice.core.client;

/**
 * What the two ways out of a full buffer cost this process lately, in femtoseconds per byte: to
 * wait until the drain gave a chunk, nothing while one was free, and to write to the image's own
 * file. The cost of the way not taken fades, so that it is tried again some day.
 *
 * <p>Written under the monitor of the chunk writer, read by any thread.
 */
final class RoomCosts {
  private static final int FEMTOS = 1_000_000;
  private static final int WEIGHT_SHIFT = 2;
  private static final int FADE_SHIFT = 10;

  /**
   * What a byte costs that is written to the file, by what its write alone costs: it lies in the
   * page cache then, and the commit, behind the drain, has yet to bring it to storage.
   */
  private static final int DIRECT_FACTOR = 4;

  private volatile long direct;
  private volatile long wait;

  void addDirect(final long nanos, final long bytes) {
    direct = mixed(direct, nanos, bytes);
    wait = faded(wait);
  }

  void addWait(final long nanos, final long bytes) {
    wait = mixed(wait, nanos, bytes);
    direct = faded(direct);
  }

  private static long mixed(final long old, final long nanos, final long bytes) {
    return old + (nanos * FEMTOS / bytes - old >> WEIGHT_SHIFT);
  }

  private static long faded(final long old) {
    return old - (old >> FADE_SHIFT);
  }

  /** Whether to wait for the drain rather than write to the file. */
  boolean favourWait() {
    return wait < DIRECT_FACTOR * direct;
  }
}
