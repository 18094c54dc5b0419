package org.sluice.core.store.series;

import java.io.IOException;
import java.util.Collection;

/** A check that the parts of all ranks make one checkpoint. */
@FunctionalInterface
public interface PartsCheck {
  PartsCheck NONE = parts -> {};

  /**
   * @throws RefusedException when they can never be committed together
   */
  void of(Collection<PartKey> parts) throws IOException;
}
