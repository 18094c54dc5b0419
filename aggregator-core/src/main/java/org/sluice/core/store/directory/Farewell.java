package org.sluice.core.store.directory;

import java.io.IOException;

/** A step right before a removal that nothing else prevents any more. */
@FunctionalInterface
public interface Farewell {
  /**
   * @return false when the checkpoint is to stay after all
   * @throws IOException when the step fails; the checkpoint stays
   */
  boolean run() throws IOException;
}
