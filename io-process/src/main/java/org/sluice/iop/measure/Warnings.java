package org.sluice.iop.measure;

import java.util.concurrent.atomic.AtomicLong;
import org.sluice.core.posix.Speaker;

/** What goes wrong while the service goes on: one line each on standard error, and a count. */
public final class Warnings {
  private static final AtomicLong COUNT = new AtomicLong();

  private Warnings() {}

  /**
   * Warns the user, and counts the warning.
   *
   * @param message one line: what, where, and what comes of it
   */
  public static void warn(final String message) {
    COUNT.incrementAndGet();
    Speaker.say(message);
  }

  /**
   * How often something went wrong.
   *
   * @return warnings since the start
   */
  public static long count() {
    return COUNT.get();
  }
}
