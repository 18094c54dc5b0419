package org.sluice.core.posix;

/** What Java does not say about threads on Linux. */
public final class NativeThread {
  private NativeThread() {}

  /**
   * Sets the nice value of the calling thread alone. Java's own priorities mean nothing on Linux.
   *
   * @param nice 0 as it was born, to 19; a thread gets about a quarter less of a contended
   *     processor with each
   * @throws PosixException when that fails; never for raising it
   */
  public static void nice(final int nice) throws PosixException {
    LibC.check(LibC.SETPRIORITY.call(LibC.PRIO_PROCESS, 0, nice), "set the priority of a thread");
  }
}
