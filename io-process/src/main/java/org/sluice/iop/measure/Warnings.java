package org.sluice.iop.measure;

import java.util.concurrent.atomic.AtomicLong;
import org.sluice.core.posix.Speaker;

/** The warnings of a service that goes on: one line each on standard error, and a count. */
public final class Warnings {
  private static final AtomicLong COUNT = new AtomicLong();

  private Warnings() {}

  /**
   * @param message one line: the problem, its place and its consequence
   */
  public static void warn(final String message) {
    COUNT.incrementAndGet();
    Speaker.say(message);
  }

  /** Returns the number of warnings since the start. */
  public static long count() {
    return COUNT.get();
  }
}
