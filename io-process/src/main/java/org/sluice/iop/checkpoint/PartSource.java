package org.sluice.iop.checkpoint;

import java.io.IOException;
import org.sluice.core.store.Commit;
import org.sluice.core.store.StoredPart;

/** Makes parts of what a node's own store has, and sees that all nodes can read what they name. */
@FunctionalInterface
public interface PartSource {
  /**
   * The part of a commit: the same each time.
   *
   * @param commit as the node's own store has it
   * @param round the round of writing it
   * @return what it consists of is on stable storage
   * @throws IOException when that fails; it may be tried again
   */
  StoredPart of(Commit commit, long round) throws IOException;
}
