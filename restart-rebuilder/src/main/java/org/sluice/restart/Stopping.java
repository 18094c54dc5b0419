package org.sluice.restart;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.core.posix.PosixException;
import org.sluice.core.posix.Quoting;

/** What becomes of a restore that a signal ends. */
final class Stopping {
  private static final Logger LOG = LoggerFactory.getLogger(Stopping.class);

  private Stopping() {}

  /** Lets a signal take down what is not whole; one that comes while all gets its names waits. */
  static Thread takesDown(final Scaffold scaffold) {
    final Thread hook = new Thread(() -> takeDown(scaffold), "restore-stopped");
    Runtime.getRuntime().addShutdownHook(hook);
    return hook;
  }

  private static void takeDown(final Scaffold scaffold) {
    try {
      scaffold.close();
    } catch (final PosixException e) {
      LOG.warn("what was built of a restore stays: {}", Quoting.line(e.getMessage()));
    }
  }

  /** The restore is over. */
  static void isOver(final Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (final IllegalStateException stopping) {
      LOG.debug("a signal ends the restore");
    }
  }
}
