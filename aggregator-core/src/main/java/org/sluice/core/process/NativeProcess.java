package org.sluice.core.process;

import java.lang.foreign.Arena;
import org.sluice.core.libc.LibC;
import org.sluice.core.libc.NativeStruct;

/** Calls about its own process that Java lacks. */
public final class NativeProcess {
  private NativeProcess() {}

  public static int user() {
    return (int) LibC.GETEUID.call(0);
  }

  /**
   * The most files that this process may have open.
   *
   * @return the soft limit, which the JVM has raised to the hard one as it started; the largest
   *     number where there is none
   */
  public static long mostOpenFiles() {
    try (Arena arena = Arena.ofConfined()) {
      final NativeStruct limits = new NativeStruct(arena, 2 * Long.BYTES);
      LibC.GETRLIMIT.call(LibC.RLIMIT_NOFILE, limits.address()); // fails for no existing resource
      final long soft = limits.getLong(0);
      return soft < 0 ? Long.MAX_VALUE : soft;
    }
  }

  /** Stops this process, as {@code kill -STOP} does, until it gets SIGCONT. */
  public static void stopSelf() {
    LibC.KILL.call(ProcessHandle.current().pid(), LibC.SIGSTOP);
  }

  /** Ends this process at once, as {@code kill -9} does: nothing is tidied up. Does not return. */
  public static void killSelf() {
    LibC.KILL.call(ProcessHandle.current().pid(), LibC.SIGKILL);
    throw new IllegalStateException("survived SIGKILL");
  }
}
