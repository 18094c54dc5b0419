package org.sluice.core.posix;

import java.util.concurrent.atomic.AtomicBoolean;

/** Something that the kernel gave a descriptor for and that is no file. */
abstract class Descriptor implements AutoCloseable {
  final int number;

  private final AtomicBoolean closed = new AtomicBoolean();

  Descriptor(final String what, final long number) throws PosixException {
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
