package org.sluice.core.client;

import java.io.IOException;
import java.time.Duration;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.sluice.core.segment.Segment;

/**
 * Waits for the drain in stages (spin, yield, park) and knows when to stop: while chunks are being
 * released somebody's turn comes, after a while without any it does not. Used under the monitor of
 * its chunk writer.
 */
final class Patience {
  private static final long LIVENESS_NANOS = Duration.ofMillis(100).toNanos();

  private final Segment segment;
  private final long limitNanos;
  private final Doorbell doorbell;
  private final BackoffIdleStrategy stages = new BackoffIdleStrategy(100, 10, 1_000, 500_000);
  private int releases;
  private long progress;
  private long looked;
  private boolean exhausted;

  Patience(final Segment segment, final Duration limit, final Doorbell doorbell) {
    this.segment = segment;
    this.doorbell = doorbell;
    this.limitNanos = limit.toNanos();
  }

  /**
   * Begins a wait. After one in vain the next is over at once, unless a chunk was released since.
   *
   * @return the time now, in nanoseconds
   */
  long begin() {
    stages.reset();
    final int now = segment.chunkPool().releases();
    exhausted = exhausted && now == releases;
    releases = now;
    progress = System.nanoTime();
    looked = progress;
    return progress;
  }

  /**
   * Pauses while there is hope for a chunk.
   *
   * @return false when there is none: no progress for long, or every chunk is open in some process
   * @throws IOException when the I/O process is gone
   */
  boolean pauseForChunk() throws IOException {
    final int now = segment.chunkPool().releases();
    if (now != releases) {
      releases = now;
      progress = System.nanoTime();
    }
    awaitReturn();
    exhausted = exhausted || System.nanoTime() - progress > limitNanos;
    if (exhausted || segment.chunkPool().isAllOpen()) {
      return false;
    }
    stages.idle();
    return true;
  }

  /**
   * Pauses until the I/O process may have read something.
   *
   * @throws IOException when it is gone
   */
  void pauseForReader() throws IOException {
    awaitReturn();
    stages.idle();
  }

  /** Ringing waits for an I/O process that was killed and is resumed. */
  private void awaitReturn() throws IOException {
    if (System.nanoTime() - looked > LIVENESS_NANOS) {
      if (!segment.header().process().isAlive()) {
        doorbell.ringUntilHeard();
        progress = System.nanoTime();
      }
      looked = System.nanoTime();
    }
  }
}
