package org.sluice.core.posix;

import java.lang.foreign.Arena;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.LibC;
import org.sluice.core.libc.NativeStruct;

/**
 * Requests that the kernel carries out while their thread does other things ({@code io_submit}). A
 * sandbox may take none. For one thread at a time.
 */
final class KernelRequests implements AutoCloseable {
  /** The kinds of requests, by the kernel's names ({@code linux/aio_abi.h}). */
  static final short FSYNC = 2;

  static final short FDSYNC = 3;

  static final short PWRITEV = 8;

  private static final int IOCB_LENGTH = 64;
  private static final int DATA_OFFSET = 0;
  private static final int OPCODE_OFFSET = 16;
  private static final int DESCRIPTOR_OFFSET = 20;
  private static final int ADDRESS_OFFSET = 24;
  private static final int COUNT_OFFSET = 32;
  private static final int POSITION_OFFSET = 40;
  private static final int EVENT_LENGTH = 32;
  private static final int RESULT_OFFSET = 16;

  /** A receiver of the ends of requests. */
  @FunctionalInterface
  interface Ends {
    /** Takes the end of the request of a place; the result is negative for a failure. */
    void ended(int place, long result);
  }

  private final Arena arena = Arena.ofShared();
  private final NativeStruct iocbs;
  private final NativeStruct pointers;
  private final NativeStruct events;
  private final int most;

  /** The kernel's context; 0 where it takes no requests. */
  private final long context;

  /** Makes the means for some requests at a time, each in a place of its own from 0 on. */
  KernelRequests(final int most) {
    this.most = most;
    iocbs = new NativeStruct(arena, most * IOCB_LENGTH);
    pointers = new NativeStruct(arena, most * Long.BYTES);
    events = new NativeStruct(arena, most * EVENT_LENGTH);
    context =
        LibC.SYSCALL.call(LibC.SYS_IO_SETUP, most, pointers.address()) < 0
            ? 0
            : pointers.getLong(0);
  }

  /** Writes a request down, to be submitted. The fields that are not set here stay zero. */
  void prepare(
      final int place,
      final short kind,
      final NativeFile file,
      final long address,
      final long count,
      final long position) {
    final int iocb = place * IOCB_LENGTH;
    iocbs.putLong(iocb + DATA_OFFSET, place);
    iocbs.putShort(iocb + OPCODE_OFFSET, kind);
    iocbs.putInt(iocb + DESCRIPTOR_OFFSET, file.descriptor);
    iocbs.putLong(iocb + ADDRESS_OFFSET, address);
    iocbs.putLong(iocb + COUNT_OFFSET, count);
    iocbs.putLong(iocb + POSITION_OFFSET, position);
  }

  /** Submits the requests of places that follow one another, and returns how many are taken. */
  int submit(final int first, final int count) {
    if (context == 0) {
      return 0;
    }
    for (int i = 0; i < count; i++) {
      pointers.putLong(i * Long.BYTES, iocbs.address() + (first + i) * IOCB_LENGTH);
    }
    return (int)
        Math.max(0, LibC.SYSCALL.call(LibC.SYS_IO_SUBMIT, context, count, pointers.address()));
  }

  /**
   * Takes the ends of requests, and returns how many.
   *
   * @param wanted number to wait for; a signal may end the wait with fewer
   */
  int take(final int wanted, final Ends receiver) {
    final long count =
        LibC.SYSCALL.call(LibC.SYS_IO_GETEVENTS, context, wanted, most, events.address(), 0);
    if (count < 0 && count != -Errno.EINTR) {
      throw new IllegalStateException("io_getevents: errno " + -count);
    }
    for (int i = 0; i < count; i++) {
      final int event = i * EVENT_LENGTH;
      receiver.ended(
          (int) events.getLong(event + DATA_OFFSET), events.getLong(event + RESULT_OFFSET));
    }
    return (int) Math.max(0, count);
  }

  /** Ends the means; nothing may be under way. */
  @Override
  public void close() {
    if (context != 0) {
      LibC.SYSCALL.call(LibC.SYS_IO_DESTROY, context);
    }
    arena.close();
  }
}
