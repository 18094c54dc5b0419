package org.sluice.iop.publish;

import java.util.concurrent.TimeUnit;

/**
 * Says when pieces of a copy may be sent, so that no more bytes go in a second than may. The next
 * piece makes up for what a slow one has lost, but for no more. Not thread-safe.
 */
final class CopyRate {
  private final long bytesPerSecond;

  /** The time by which the last piece may have been sent. */
  private long due = System.nanoTime();

  public CopyRate(final long bytesPerSecond) {
    this.bytesPerSecond = bytesPerSecond;
  }

  /**
   * Takes what a piece needs.
   *
   * @param now nanoseconds, by {@link System#nanoTime}
   * @return how long to wait before it is sent, in nanoseconds; 0 or less for not at all
   */
  public long take(final long bytes, final long now) {
    final long need = (long) ((double) bytes / bytesPerSecond * TimeUnit.SECONDS.toNanos(1));
    due = Math.max(due - now, -need) + now + need;
    return due - now;
  }
}
