package org.sluice.iop.checkpoint;

import java.util.concurrent.Executor;
import org.sluice.core.store.Draft;
import org.sluice.core.store.PosixStore;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.image.CaptureDirectory;
import org.sluice.iop.image.ImageRegistry;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.journal.Journal;
import org.sluice.iop.measure.Statistics;

/**
 * What all checkpoints of a session share.
 *
 * @param store where they are committed
 * @param registry the images
 * @param drain the pipeline
 * @param capture where captured files are
 * @param statistics learns of commits
 * @param journal learns what is decided
 * @param state what it says of checkpoints and images
 * @param service runs what it is given on the service thread
 * @param header node, job, layout and session of each checkpoint
 * @param grouping which files are one checkpoint; null when files are not grouped
 * @param shared files that no checkpoint has
 * @param waiters processes that wait for a commit
 */
public record Context(
    PosixStore store,
    ImageRegistry registry,
    Drain drain,
    CaptureDirectory capture,
    Statistics statistics,
    Journal journal,
    CheckpointState state,
    Executor service,
    Draft header,
    Grouping grouping,
    SharedFiles shared,
    Waiters waiters) {
  /** Writes a decision down, and then applies it. */
  void decide(final Entry decision) {
    state.apply(journal.write(decision));
  }
}
