package org.sluice.core.store.directory;

import java.io.IOException;

/** What comes right before a removal that nothing else prevents any more. */
@FunctionalInterface
public interface Farewell {
  /**
   * Does it.
   *
   * @return false when the checkpoint is to stay after all
   * @throws IOException when that fails; the checkpoint stays
   */
  boolean run() throws IOException;
}
