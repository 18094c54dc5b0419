package org.sluice.core.store.series;

import java.io.IOException;
import java.util.Collection;

/** Sees that the parts of all ranks make one checkpoint. */
@FunctionalInterface
public interface PartsCheck {
  /** Any parts do. */
  PartsCheck NONE = parts -> {};

  /**
   * Looks at parts before they are committed.
   *
   * @param parts the parts of all ranks
   * @throws RefusedException when they can never be committed together
   * @throws IOException when that cannot be told
   */
  void of(Collection<PartKey> parts) throws IOException;
}
