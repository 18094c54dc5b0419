package org.sluice.core.posix;

import java.lang.foreign.Arena;
import java.util.concurrent.locks.LockSupport;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.LibC;
import org.sluice.core.libc.PosixException;

/**
 * A file whose watchers (inotify) do not learn that this process closes it as a writer: they would
 * take that for one more close of the program. Until the first write, the file is open to read
 * only. Then it gets the descriptor that the kernel makes for an event of fanotify ({@link
 * QuietOpener}). Where the kernel makes none, the descriptor is as any other.
 */
final class QuietFile extends NativeFile {
  /** The patience with a program that has a lease and is told to end it. */
  private static final long LEASE_NANOS = 2_000_000_000;

  private final QuietOpener opener;
  private final Object lock = new Object();
  private volatile boolean writable;

  QuietFile(final QuietOpener opener, final String path, final Flag... flags)
      throws PosixException {
    super(path, flags);
    this.opener = opener;
    if (found.type() == FileType.DIRECTORY) { // a directory can be opened to read, but not to write
      close();
      throw new PosixException("open " + path, Errno.EISDIR);
    }
  }

  @Override
  void beforeWriting() throws PosixException {
    if (!writable) {
      synchronized (lock) {
        if (!writable) {
          becomeWritable();
          writable = true;
        }
      }
    }
  }

  /** A failure shows at the first write. */
  @Override
  public void expectWrites() {
    synchronized (lock) {
      try {
        writable = writable || opener.reopen(this);
      } catch (final PosixException e) {
        return;
      }
    }
  }

  private void becomeWritable() throws PosixException {
    final long begin = System.nanoTime();
    while (!opener.reopen(this)) {
      try {
        reopen(LibC.O_RDWR | WITHOUT_WAITING);
        return;
      } catch (final PosixException e) {
        if (e.errno() != Errno.EAGAIN || System.nanoTime() - begin > LEASE_NANOS) {
          throw e;
        }
        LockSupport.parkNanos(NAP_NANOS);
      }
    }
  }

  @Override
  public void takeBack(final long patienceNanos) throws PosixException {
    super.takeBack(patienceNanos);
    writable = true;
  }

  /** Sets the size by the file's name, which needs no descriptor for writing. */
  @Override
  public void resize(final long size) throws PosixException {
    try (Arena arena = Arena.ofConfined()) {
      check(LibC.TRUNCATE.call(FileName.inC(arena, procPath()), size), "truncate ");
    }
  }

  @Override
  public void tellOfClose() throws PosixException {
    open(procPath(), Flag.WRITE, Flag.NO_WAIT).close();
  }

  /** Changes the file's time, of which the kernel tells watchers. */
  @Override
  public void tellWatchers() {
    touch();
  }
}
