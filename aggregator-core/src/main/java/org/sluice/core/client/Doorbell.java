package org.sluice.core.client;

import java.io.IOException;

/** Wakes the I/O process. */
@FunctionalInterface
interface Doorbell {
  /**
   * Wakes it.
   *
   * @throws IOException when it is gone
   */
  void ring() throws IOException;
}
