package org.sluice.core.process;

import java.lang.foreign.Arena;
import java.util.concurrent.locks.LockSupport;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.LibC;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.Descriptor;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.Names;

/** The end of a pipe that goes to another process. For one thread. */
public final class PipeEnd extends Descriptor {
  private static final int WRITE_ONLY = 0x1;
  private static final int WITHOUT_WAITING = 0x800;
  private static final long NAP_NANOS = 100_000;

  private PipeEnd(final String path) throws PosixException {
    super("open " + path, open(path));
  }

  private static long open(final String path) throws PosixException {
    try (Arena arena = Arena.ofConfined()) {
      final int flags = WRITE_ONLY | WITHOUT_WAITING | LibC.O_CLOEXEC;
      return LibC.OPENAT.uninterrupted(LibC.AT_FDCWD, FileName.inC(arena, path), flags, 0);
    }
  }

  public static PipeEnd of(final int pid, final int descriptor) throws PosixException {
    final String path = "/proc/%d/fd/%d".formatted(pid, descriptor);
    final PipeEnd end = new PipeEnd(path);
    if (!Names.target("/proc/self/fd/" + end.number).startsWith("pipe:")) {
      end.close();
      throw new PosixException("open " + path + " as a pipe", Errno.EINVAL);
    }
    return end;
  }

  /**
   * Writes all of a piece of memory, at the pace of the other process.
   *
   * @param patienceNanos the longest time in which the other process may read nothing
   * @throws PosixException when no process reads any more; {@link Errno#ETIMEDOUT} when patience is
   *     over
   */
  public void write(final long address, final long length, final long patienceNanos)
      throws PosixException {
    long done = 0;
    long since = 0;
    while (done < length) {
      final long count = LibC.WRITE.call(number, address + done, length - done);
      if (count > 0) {
        done += count;
        since = 0;
      } else if (count == -Errno.EAGAIN) {
        final long now = System.nanoTime();
        since = since == 0 ? now : since;
        if (now - since > patienceNanos) {
          throw new PosixException("write to a process that does not read", Errno.ETIMEDOUT);
        }
        LockSupport.parkNanos(NAP_NANOS);
      } else if (count != -Errno.EINTR) {
        throw new PosixException("write to a pipe", (int) -count);
      }
    }
  }
}
