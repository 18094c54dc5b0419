package org.sluice.core.process;

import org.sluice.core.libc.Errno;
import org.sluice.core.libc.LibC;

/**
 * Fences on the processors of other processes: {@code MEMBARRIER_CMD_GLOBAL_EXPEDITED} of
 * membarrier(2), Linux 4.16. Takes some microseconds. Any thread.
 */
public final class Membarrier {
  private static final int QUERY = 0;
  private static final int GLOBAL_EXPEDITED = 1 << 1;
  private static final int REGISTER_GLOBAL_EXPEDITED = 1 << 2;

  private Membarrier() {}

  static long membarrier(final int command) {
    return LibC.SYSCALL.call(LibC.SYS_MEMBARRIER, command, 0, 0);
  }

  /**
   * Tells whether the kernel can fence for processes that register; false on older kernels, and
   * where a sandbox forbids the call.
   */
  public static boolean isAvailable() {
    final int needed = GLOBAL_EXPEDITED | REGISTER_GLOBAL_EXPEDITED;
    final long commands = membarrier(QUERY);
    return commands > 0 && (commands & needed) == needed;
  }

  /**
   * Returns once every running thread of every registered process has passed a full fence, the
   * caller included.
   *
   * @throws IllegalStateException when the kernel cannot
   */
  public static void run() {
    final long result = membarrier(GLOBAL_EXPEDITED);
    if (result < 0) {
      throw new IllegalStateException("membarrier: " + Errno.describe((int) -result));
    }
  }
}
