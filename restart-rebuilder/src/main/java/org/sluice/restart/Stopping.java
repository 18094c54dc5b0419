package org.sluice.restart;

import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.Speaker;

/** The end of a restore by a signal. */
final class Stopping {
  private Stopping() {}

  /** Lets a signal remove unfinished files. A signal during the final renames waits. */
  static Thread takesDown(final Scaffold scaffold) {
    final Thread hook = new Thread(() -> takeDown(scaffold), "restore-stopped");
    Runtime.getRuntime().addShutdownHook(hook);
    return hook;
  }

  private static void takeDown(final Scaffold scaffold) {
    try {
      scaffold.close();
    } catch (final PosixException e) {
      Speaker.say("what was built of a restore stays: " + e.getMessage());
    }
  }

  /** Ends the handling of signals, since the restore is over. */
  static void isOver(final Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (final IllegalStateException stopping) {
      return; // a signal ends the restore
    }
  }
}
