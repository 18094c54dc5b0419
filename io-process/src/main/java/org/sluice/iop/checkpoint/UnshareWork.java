package org.sluice.iop.checkpoint;

import java.io.IOException;
import org.sluice.core.store.CheckpointStore;
import org.sluice.iop.crash.Subject;
import org.sluice.iop.drain.Work;
import org.sluice.iop.image.Image;

/**
 * Gives the checkpoints that have an image a copy of its own file, which a program outside Sluice
 * is about to open and may change. The last stage does it, behind a commit that may be under way.
 */
final class UnshareWork implements Work {
  /** Takes the outcome, exactly once; called by the last stage. */
  interface Outcome {
    void unshared();

    void failed(Exception failure);
  }

  /** Beside what else is done to an image. */
  private static final long UNSHARE = 2L << 32;

  private final CheckpointStore store;
  private final Image image;
  private final Outcome outcome;

  UnshareWork(final CheckpointStore store, final Image image, final Outcome outcome) {
    this.store = store;
    this.image = image;
    this.outcome = outcome;
  }

  @Override
  public void commit() throws IOException {
    store.unshare(image.file());
    outcome.unshared();
  }

  @Override
  public void fail(final IOException failure) {
    outcome.failed(failure);
  }

  @Override
  public Subject subject() {
    return Subject.IMAGE;
  }

  @Override
  public long id() {
    return UNSHARE;
  }

  @Override
  public int imageId() {
    return image.id();
  }
}
