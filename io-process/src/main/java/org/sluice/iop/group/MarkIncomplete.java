package org.sluice.iop.group;

import java.io.IOException;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.node.PosixStore;
import org.sluice.iop.drain.Work;
import org.sluice.iop.measure.Warnings;

/**
 * A work that marks a committed checkpoint as incomplete, since files joined it. From then on it is
 * not the newest, until it is committed again. Queued behind that commit.
 */
record MarkIncomplete(PosixStore store, Commit joined) implements Work {
  @Override
  public void commit() throws IOException {
    store.markIncomplete(joined.number(), joined.id());
  }

  @Override
  public void fail(final IOException failure) {
    Warnings.warn(
        "checkpoint %d may be taken for the newest, though files joined it since: %s"
            .formatted(joined.number(), failure.getMessage()));
  }
}
