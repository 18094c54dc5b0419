package org.sluice.iop.drain;

import java.io.IOException;

/**
 * One thing on its way through the {@link Pipeline}: a chunk, or a request that has to keep its
 * place among the chunks. Each stage calls its method once, on its own thread, in the order of
 * publication; so a field that one stage alone uses needs no synchronisation, and a field that a
 * stage sets may be read by the later ones.
 */
public interface Work {
  /**
   * First stage: checks what came from shared memory and copies out what the later stages use.
   *
   * @throws IOException when the work cannot be done
   */
  default void validate() throws IOException {}

  /**
   * Second stage: writes to storage.
   *
   * @throws IOException when the work cannot be done
   */
  default void write() throws IOException {}

  /** Third stage: gives memory back to the application processes. */
  default void release() {}

  /**
   * Fourth stage: waits for stable storage.
   *
   * @throws IOException when the work cannot be done
   */
  default void commit() throws IOException {}

  /**
   * Called by the stage that threw, instead of ending the service. The later stages are called
   * nevertheless.
   *
   * @param failure what was thrown
   */
  void fail(Exception failure);
}
