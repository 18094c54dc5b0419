package org.sluice.iop.drain;

import java.util.function.BooleanSupplier;

/** What the write stage has left undone, so that it is done together with what comes next. */
@FunctionalInterface
interface WriteBatch {
  /**
   * Starts to write the chunks that wait for others.
   *
   * @param more whether there is another one to drain, so that it does not wait for the writes
   */
  void flush(BooleanSupplier more);

  /**
   * Whether work that {@linkplain Work#joins joins} chunks may come before they are written.
   *
   * @return false where that is written first
   */
  default boolean takesOthers() {
    return false;
  }

  /**
   * Whether the last stage may not see yet what has come to the write stage. It says so of whatever
   * is not written where it {@linkplain #takesOthers takes others}.
   *
   * @return false behind {@link #flush}
   */
  default boolean isHolding() {
    return false;
  }
}
