package org.sluice.core.client;

import java.io.IOException;

/** Wakes the I/O process. */
@FunctionalInterface
interface Doorbell {
  /**
   * Wakes it. Nobody waits for one that was killed: who resumes it looks at everything first.
   *
   * @throws IOException when it is gone for good
   */
  void ring() throws IOException;

  /**
   * Wakes it, or waits until one that was killed is resumed.
   *
   * @throws IOException when it is gone for good
   */
  default void ringUntilHeard() throws IOException {
    ring();
  }
}
