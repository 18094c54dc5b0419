package org.sluice.core.posix;

import org.sluice.core.libc.PosixException;

/** A step of the I/O process at which a fault can be rehearsed. Thread-safe. */
public interface Hazard {
  /** The fault at a step. */
  interface Mishap {
    /** Strikes before the step. */
    void begin(String what) throws PosixException;

    /** Returns the bytes to write now, 1 or more, of {@code length}. */
    long cut(long length);

    /** Strikes after the step. */
    void end();
  }

  /** Returns the fault of this time; null nearly always. */
  Mishap now();

  /** Tells whether any fault is rehearsed there at any time. */
  boolean isArmed();
}
