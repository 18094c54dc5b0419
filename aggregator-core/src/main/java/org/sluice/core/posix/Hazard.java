package org.sluice.core.posix;

import org.sluice.core.libc.PosixException;

/** A step of the I/O process at which a fault can be rehearsed. Thread-safe. */
public interface Hazard {
  /** The fault at a step. */
  interface Mishap {
    /**
     * Strikes before the step.
     *
     * @param what the step is, and to what
     * @throws PosixException when the step is to fail
     */
    void begin(String what) throws PosixException;

    /**
     * The bytes to be written now.
     *
     * @param length bytes there are, over 0
     * @return bytes, 1 to {@code length}
     */
    long cut(long length);

    /** Strikes after the step. */
    void end();
  }

  /**
   * The fault of this time.
   *
   * @return null nearly always
   */
  Mishap now();

  /**
   * Tells whether any fault is rehearsed there at any time.
   *
   * @return false unless a rehearsal asks for it
   */
  boolean isArmed();
}
