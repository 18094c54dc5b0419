package org.sluice.core.posix;

import java.util.concurrent.atomic.AtomicBoolean;

/** Something that the kernel gave a descriptor for and that is no file. */
abstract class Descriptor implements AutoCloseable {
  final int number;

  private final AtomicBoolean closed = new AtomicBoolean();

  Descriptor(final String what, final int number) throws PosixException {
    if (number < 0) {
      throw new PosixException(what, LibC.errno());
    }
    this.number = number;
  }

  /** Gives the descriptor back; asking again does nothing. Any thread. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      LibC.close(number);
    }
  }
}
