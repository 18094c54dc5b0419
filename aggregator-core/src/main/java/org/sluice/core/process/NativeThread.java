package org.sluice.core.process;

import java.lang.foreign.Arena;
import org.sluice.core.libc.LibC;
import org.sluice.core.libc.NativeStruct;
import org.sluice.core.libc.PosixException;

/**
 * A thread as Linux knows it: Java's own priorities mean nothing there.
 *
 * @param id its number; 0 is the calling thread's
 */
public record NativeThread(long id) {
  /** The length of the attributes that are set here, see sched_setattr(2). */
  private static final int ATTRIBUTES_LENGTH = 48;

  private static final int POLICY_OFFSET = 4;
  private static final int NICE_OFFSET = 16;
  private static final int SLICE_OFFSET = 24;

  private static final int NICE_TOLD_AS_NONE = 20;

  /** Returns the calling thread, for use by other threads, too. */
  public static NativeThread current() {
    return new NativeThread(LibC.GETTID.call(0));
  }

  /**
   * The thread's nice value: the higher, the less it gets of a processor that several want, about a
   * quarter less with each step. Raising it is allowed, but mostly not lowering it again.
   *
   * @return -20 to 19
   */
  public int nice() throws PosixException {
    // The system call itself, which tells 20 less the value: no result of it looks like a failure.
    return (int)
        (NICE_TOLD_AS_NONE
            - LibC.check(
                LibC.SYSCALL.call(LibC.SYS_GETPRIORITY, LibC.PRIO_PROCESS, id),
                "read the priority of a thread"));
  }

  /**
   * @param waits leaves processors to running threads until their time slices are over; otherwise
   *     it may take one from them when it wakes up
   * @param sliceNanos the time slice it asks for, 0 for the usual one: a thread that asks for less
   *     runs sooner, and for less. Kernels before Linux 6.12 know the usual one only
   * @throws PosixException when the kernel or a sandbox refuses
   */
  public void schedule(final boolean waits, final int nice, final long sliceNanos)
      throws PosixException {
    try (Arena arena = Arena.ofConfined()) {
      final NativeStruct attributes = new NativeStruct(arena, ATTRIBUTES_LENGTH);
      attributes.putInt(0, ATTRIBUTES_LENGTH);
      attributes.putInt(POLICY_OFFSET, waits ? LibC.SCHED_BATCH : LibC.SCHED_OTHER);
      attributes.putInt(NICE_OFFSET, nice);
      attributes.putLong(SLICE_OFFSET, sliceNanos);
      LibC.check(
          LibC.SYSCALL.call(LibC.SYS_SCHED_SETATTR, id, attributes.address(), 0),
          "say how a thread is scheduled");
    }
  }
}
