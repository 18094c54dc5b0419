package org.sluice.core.posix;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.LibC;
import org.sluice.core.libc.PosixException;

/**
 * Writes past the page cache that go on while their thread does other things, so that the disk
 * always has a next one ({@code io_submit}). Where the kernel takes none, as in a sandbox, each
 * write is done when it is waited for. For one thread at a time.
 */
public final class AsyncWrites implements AutoCloseable {
  private static final long IOCB_LENGTH = 64;
  private static final long DATA_OFFSET = 0;
  private static final long OPCODE_OFFSET = 16;
  private static final long DESCRIPTOR_OFFSET = 20;
  private static final long ADDRESS_OFFSET = 24;
  private static final long COUNT_OFFSET = 32;
  private static final long POSITION_OFFSET = 40;
  private static final short PWRITEV = 8;
  private static final long EVENT_LENGTH = 32;
  private static final long RESULT_OFFSET = 16;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment iocb = arena.allocate(IOCB_LENGTH, Long.BYTES);
  private final MemorySegment pointer = arena.allocate(JAVA_LONG);
  private final MemorySegment event = arena.allocate(EVENT_LENGTH, Long.BYTES);

  /** The writes under way, by the kernel's names for them; null in free places. */
  private final Write[] underWay;

  /** The kernel's context; 0 where it takes no such writes. */
  private final long context;

  /** A write that was started. */
  public final class Write {
    private final NativeFile file;
    private final IoVector pieces;
    private final long offset;

    /** Bytes written, negative for a failure. */
    private long result;

    private boolean ended;
    private boolean taken;

    private Write(final NativeFile file, final IoVector pieces, final long offset) {
      this.file = file;
      this.pieces = pieces;
      this.offset = offset;
    }

    /** Tells whether the kernel has taken the write, to go on by itself. */
    public boolean isTaken() {
      return taken;
    }

    /** Tells whether {@link #await} would not wait for the kernel. */
    public boolean hasEnded() {
      boolean more = !ended;
      while (more) {
        more = take(0) && !ended;
      }
      return ended;
    }

    /**
     * A call of its own writes the bytes that the kernel has left out, and tells why if it fails as
     * well.
     *
     * @throws PosixException when that fails; any part may have been written
     */
    public void await() throws PosixException {
      while (!ended) {
        take(1);
      }
      final long done = Math.max(0, result);
      pieces.written(done);
      file.pwrite(pieces, offset + done);
    }
  }

  /**
   * @param most the most writes under way; more are done when they are waited for
   */
  public AsyncWrites(final int most) {
    underWay = new Write[most];
    context =
        LibC.SYSCALL.call(LibC.SYS_IO_SETUP, most, pointer.address()) < 0
            ? 0
            : pointer.get(JAVA_LONG, 0);
  }

  /**
   * @param file opened past the page cache
   * @param pieces to be written; they and their memory stay as they are until the end
   */
  public Write start(final NativeFile file, final IoVector pieces, final long offset) {
    final Write write = new Write(file, pieces, offset);
    final int place = free();
    write.taken = place >= 0 && context != 0 && isPlain(file) && submit(write, place);
    write.ended = !write.taken;
    if (write.taken) {
      underWay[place] = write;
    }
    return write;
  }

  /**
   * Tells whether no other object is to see a file's writes: no rehearsal, nor a test that extends
   * the file.
   */
  private static boolean isPlain(final NativeFile file) {
    return file.getClass() == NativeFile.class && (file.writes == null || !file.writes.isArmed());
  }

  private int free() {
    for (int i = 0; i < underWay.length; i++) {
      if (underWay[i] == null) {
        return i;
      }
    }
    return -1;
  }

  private boolean submit(final Write write, final int place) {
    iocb.fill((byte) 0);
    iocb.set(JAVA_LONG, DATA_OFFSET, place);
    iocb.set(JAVA_SHORT, OPCODE_OFFSET, PWRITEV);
    iocb.set(JAVA_INT, DESCRIPTOR_OFFSET, write.file.descriptor);
    iocb.set(JAVA_LONG, ADDRESS_OFFSET, write.pieces.address());
    iocb.set(JAVA_LONG, COUNT_OFFSET, write.pieces.count());
    iocb.set(JAVA_LONG, POSITION_OFFSET, write.offset);
    pointer.set(JAVA_LONG, 0, iocb.address());
    return LibC.SYSCALL.call(LibC.SYS_IO_SUBMIT, context, 1, pointer.address()) == 1;
  }

  /** Notes a write that has ended; waits for one if one is wanted. */
  private boolean take(final int wanted) {
    final long count =
        LibC.SYSCALL.call(LibC.SYS_IO_GETEVENTS, context, wanted, 1, event.address(), 0);
    if (count > 0) {
      final int place = (int) event.get(JAVA_LONG, DATA_OFFSET);
      underWay[place].result = event.get(JAVA_LONG, RESULT_OFFSET);
      underWay[place].ended = true;
      underWay[place] = null;
    } else if (count < 0 && LibC.errno() != Errno.EINTR) {
      throw new IllegalStateException("io_getevents: errno " + LibC.errno());
    }
    return count > 0;
  }

  /** Ends the means for writes, of which none may be under way. */
  @Override
  public void close() {
    if (context != 0) {
      LibC.SYSCALL.call(LibC.SYS_IO_DESTROY, context);
    }
    arena.close();
  }
}
