package org.sluice.iop.drain;

import java.util.function.BooleanSupplier;

/** The chunks that the write stage has left undone, to write them together with later ones. */
@FunctionalInterface
interface WriteBatch {
  /**
   * Starts to write the chunks that wait for others.
   *
   * @param more whether there is another chunk to drain, so that it does not wait for the writes
   */
  void flush(BooleanSupplier more);

  /**
   * Returns whether work that {@linkplain Work#joins joins} chunks may come before they are
   * written; false where the chunks are written first.
   */
  default boolean takesOthers() {
    return false;
  }

  /**
   * Returns whether the last stage may not see yet all work of the write stage. The answer is true
   * for unwritten chunks where it {@linkplain #takesOthers takes others}.
   *
   * @return false after {@link #flush}
   */
  default boolean isHolding() {
    return false;
  }
}
