package org.sluice.iop.publish;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.concurrent.TimeUnit;

/**
 * The patience of a session that ends, with other nodes and with a bucket that do nothing; as long
 * as that of processes whose I/O process was killed.
 */
final class EndPatience {
  private static final long SECONDS = 30;

  private EndPatience() {}

  /** {@return nanoseconds, as {@code SLUICE_PATIENCE} says, or else those of 30 s} */
  static long nanos() {
    return nanos(System.getenv("SLUICE_PATIENCE"));
  }

  /**
   * Reads a patience.
   *
   * @param seconds decimal number; null and all else count as 30, as to processes
   * @return nanoseconds
   */
  static long nanos(final String seconds) {
    if (seconds == null || !seconds.matches("\\d{1,9}(\\.\\d*)?")) {
      return TimeUnit.SECONDS.toNanos(SECONDS);
    }
    return new BigDecimal(seconds).scaleByPowerOfTen(9).setScale(0, RoundingMode.DOWN).longValue();
  }
}
