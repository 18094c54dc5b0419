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
   * Second stage: writes to storage, and gives memory back to the application processes.
   *
   * @throws IOException when the work cannot be done
   */
  default void write() throws IOException {}

  /**
   * Whether {@link #commit} does anything; the third stage is not woken for what does not.
   *
   * @return false for a chunk
   */
  default boolean commits() {
    return true;
  }

  /**
   * Third stage: waits for stable storage.
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
