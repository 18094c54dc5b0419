package org.sluice.iop.checkpoint;

import org.sluice.iop.journal.Entry;
import org.sluice.iop.journal.Journal;

/**
 * The decisions of a session. Each is in the journal before it applies, so that the successor of a
 * killed I/O process knows it. Service thread only, but for the journal.
 *
 * @param state checkpoints and images by the decisions so far
 * @param journal record of the decisions
 */
public record Decisions(CheckpointState state, Journal journal) {
  /** Writes a decision down, and then applies it. */
  public void decide(final Entry decision) {
    state.apply(journal.write(decision));
  }
}
