package org.sluice.core.posix;

import java.util.concurrent.atomic.AtomicBoolean;
import org.sluice.core.libc.LibC;
import org.sluice.core.libc.PosixException;

/** A thing that the kernel gave a descriptor for, other than a file. */
public abstract class Descriptor implements AutoCloseable {
  /** The descriptor, which is this object's to close. */
  public final int number;

  private final AtomicBoolean closed = new AtomicBoolean();

  protected Descriptor(final String what, final long number) throws PosixException {
    this.number = (int) LibC.check(number, what);
  }

  /** Gives the descriptor back; asking again does nothing. Any thread. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      LibC.CLOSE.call(number);
    }
  }
}
