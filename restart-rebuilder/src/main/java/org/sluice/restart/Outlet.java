package org.sluice.restart;

import java.io.IOException;
import java.lang.foreign.Arena;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.LibC;
import org.sluice.core.libc.PosixException;
import org.sluice.core.store.model.ImageTarget;

/** A pipe or standard output, which gets the bytes of an image in order. Not thread-safe. */
final class Outlet implements ImageTarget, AutoCloseable {
  private static final int STANDARD_OUTPUT = 1;
  private static final int ZEROS = 64 << 10;

  private final Arena arena = Arena.ofConfined();
  private final Sink sink;
  private long end;
  private long zeros;

  /** A receiver of bytes. */
  @FunctionalInterface
  interface Sink {
    void put(long address, long length) throws IOException;
  }

  Outlet(final Sink sink) {
    this.sink = sink;
  }

  static Outlet standardOutput() {
    return new Outlet(Outlet::print);
  }

  /** Thrown when no process reads standard output any more. */
  static final class NobodyReadsException extends IOException {
    private static final long serialVersionUID = 1L;
  }

  @Override
  public void write(final long address, final long length, final long offset) throws IOException {
    fill(offset);
    sink.put(address, length);
    end = offset + length;
  }

  /** Writes zeros up to an offset. */
  void fill(final long to) throws IOException {
    if (end < to && zeros == 0) {
      zeros = arena.allocate(ZEROS).address();
    }
    for (; end < to; end += Math.min(ZEROS, to - end)) {
      sink.put(zeros, Math.min(ZEROS, to - end));
    }
  }

  private static void print(final long address, final long length) throws IOException {
    long done = 0;
    while (done < length) {
      final long count = LibC.WRITE.call(STANDARD_OUTPUT, address + done, length - done);
      if (count == -Errno.EPIPE) {
        throw new NobodyReadsException();
      }
      if (count < 0 && count != -Errno.EINTR) {
        throw new PosixException("write to standard output", (int) -count);
      }
      done += Math.max(count, 0);
    }
  }

  @Override
  public void close() {
    arena.close();
  }
}
