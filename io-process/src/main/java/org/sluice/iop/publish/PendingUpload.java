package org.sluice.iop.publish;

import java.io.IOException;
import org.sluice.core.store.model.Commit;

/**
 * A checkpoint that the stage has and that is copied from it.
 *
 * @param growth how many times it was decided before in that round
 * @param since when the stage has got it, in nanoseconds
 */
public record PendingUpload(Commit commit, long round, long growth, Listener listener, long since) {
  /** Learns what becomes of an upload. Any thread. */
  public interface Listener {
    /** Notes that the upload is on its way, also for a process that comes after a kill. */
    void begins(PendingUpload one);

    /** Notes that the checkpoint counts for all nodes. */
    void counts(PendingUpload one);

    /** Notes that the upload is tried again, which may take long. */
    void delayed(PendingUpload one, IOException why);

    /** Notes that the checkpoint stays on the stage. */
    void refused(PendingUpload one, IOException why);
  }

  /** An upload of what the stage has got now. */
  public PendingUpload(
      final Commit commit, final long round, final long growth, final Listener listener) {
    this(commit, round, growth, listener, System.nanoTime());
  }
}
