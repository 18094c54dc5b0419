package org.sluice.iop.publish;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When pieces of a copy may be sent. */
class CopyRateTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long PIECE = 1 << 23;

  private final CopyRate rate = new CopyRate(2 * PIECE);

  /** A second's pieces take a second, however long each of them is on its way. */
  @Test
  void piecesThatAreFasterWaitForTheirTurn() {
    long now = System.nanoTime() + SECOND;
    final long began = now;
    for (int piece = 1; piece <= 20; piece++) {
      now += Math.max(0, rate.take(PIECE, now)) + SECOND / 7;
    }
    assertEquals(10 * SECOND, now - SECOND / 7 - began, 0.06 * 10 * SECOND);
  }

  @Test
  void slowPiecesDoNotWait() {
    long now = System.nanoTime() + SECOND;
    rate.take(PIECE, now);
    for (int piece = 1; piece <= 20; piece++) {
      now += 2 * SECOND;
      assertEquals(0, Math.max(0, rate.take(PIECE, now)));
    }
  }

  /** What was not sent for a while is not made up for. */
  @Test
  void aPauseGivesNoMoreThanOnePiece() {
    final long now = System.nanoTime() + 1000 * SECOND;
    assertEquals(0, Math.max(0, rate.take(PIECE, now)));
    assertEquals(SECOND / 2, rate.take(PIECE, now), 1000);
    assertEquals(SECOND, rate.take(PIECE, now), 1000);
  }
}
