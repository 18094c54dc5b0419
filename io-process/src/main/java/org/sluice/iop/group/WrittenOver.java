package org.sluice.iop.group;

import java.io.IOException;
import java.util.Optional;
import org.sluice.core.store.model.Commit;
import org.sluice.iop.checkpoint.CheckpointStorage;
import org.sluice.iop.drain.Work;
import org.sluice.iop.measure.Warnings;

/**
 * A work that marks an earlier run's checkpoint as incomplete, as its number is written again in
 * place. The files may be the same, so the earlier checkpoint no longer is the newest.
 */
record WrittenOver(CheckpointStorage storage, long number) implements Work {
  @Override
  public boolean isAwaited() {
    return false;
  }

  @Override
  public void commit() throws IOException {
    final Optional<Commit> earlier =
        storage
            .store()
            .find(number)
            .filter(commit -> commit.layout().commitsNames())
            .filter(commit -> commit.source().sessionId() != storage.sessionId());
    if (earlier.isPresent()) {
      storage.store().markIncomplete(number, earlier.get().id());
    }
  }

  @Override
  public void fail(final IOException failure) {
    Warnings.warn(
        "checkpoint %d of an earlier run may be taken for the newest, though its files are written over: %s"
            .formatted(number, failure.getMessage()));
  }
}
