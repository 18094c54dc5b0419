package org.sluice.core.store.series;

import java.io.IOException;
import java.util.Collection;

/** A check that the parts of all ranks make one checkpoint. */
@FunctionalInterface
public interface PartsCheck {
  /** A check that accepts any parts. */
  PartsCheck NONE = parts -> {};

  /**
   * Checks parts before they are committed.
   *
   * @param parts the parts of all ranks
   * @throws RefusedException when they can never be committed together
   * @throws IOException when the check itself fails
   */
  void of(Collection<PartKey> parts) throws IOException;
}
