package org.sluice.core.posix;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.LibC;

/**
 * Requests that the kernel carries out while their thread does other things ({@code io_submit}). A
 * sandbox may take none. For one thread at a time.
 */
final class KernelRequests implements AutoCloseable {
  /** The kinds of requests, by the kernel's names ({@code linux/aio_abi.h}). */
  static final short FSYNC = 2;

  static final short FDSYNC = 3;

  static final short PWRITEV = 8;

  private static final long IOCB_LENGTH = 64;
  private static final long DATA_OFFSET = 0;
  private static final long OPCODE_OFFSET = 16;
  private static final long DESCRIPTOR_OFFSET = 20;
  private static final long ADDRESS_OFFSET = 24;
  private static final long COUNT_OFFSET = 32;
  private static final long POSITION_OFFSET = 40;
  private static final long EVENT_LENGTH = 32;
  private static final long RESULT_OFFSET = 16;

  /** A receiver of the ends of requests. */
  @FunctionalInterface
  interface Ends {
    /** Takes the end of the request of a place; the result is negative for a failure. */
    void ended(int place, long result);
  }

  private final Arena arena = Arena.ofShared();
  private final MemorySegment iocbs;
  private final MemorySegment pointers;
  private final MemorySegment events;
  private final int most;

  /** The kernel's context; 0 where it takes no requests. */
  private final long context;

  /** Makes the means for some requests at a time, each in a place of its own from 0 on. */
  KernelRequests(final int most) {
    this.most = most;
    iocbs = arena.allocate(most * IOCB_LENGTH, Long.BYTES);
    pointers = arena.allocate(JAVA_LONG, most);
    events = arena.allocate(most * EVENT_LENGTH, Long.BYTES);
    context =
        LibC.SYSCALL.call(LibC.SYS_IO_SETUP, most, pointers.address()) < 0
            ? 0
            : pointers.get(JAVA_LONG, 0);
  }

  /** Writes a request down, to be submitted. */
  void prepare(
      final int place,
      final short kind,
      final NativeFile file,
      final long address,
      final long count,
      final long position) {
    final MemorySegment iocb = iocbs.asSlice(place * IOCB_LENGTH, IOCB_LENGTH).fill((byte) 0);
    iocb.set(JAVA_LONG, DATA_OFFSET, place);
    iocb.set(JAVA_SHORT, OPCODE_OFFSET, kind);
    iocb.set(JAVA_INT, DESCRIPTOR_OFFSET, file.descriptor);
    iocb.set(JAVA_LONG, ADDRESS_OFFSET, address);
    iocb.set(JAVA_LONG, COUNT_OFFSET, count);
    iocb.set(JAVA_LONG, POSITION_OFFSET, position);
  }

  /** Submits the requests of places that follow one another, and returns how many are taken. */
  int submit(final int first, final int count) {
    if (context == 0) {
      return 0;
    }
    for (int i = 0; i < count; i++) {
      pointers.setAtIndex(JAVA_LONG, i, iocbs.address() + (first + i) * IOCB_LENGTH);
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
    for (long i = 0; i < count; i++) {
      final long event = i * EVENT_LENGTH;
      receiver.ended(
          (int) events.get(JAVA_LONG, event + DATA_OFFSET),
          events.get(JAVA_LONG, event + RESULT_OFFSET));
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
