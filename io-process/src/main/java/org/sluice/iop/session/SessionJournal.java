package org.sluice.iop.session;

import org.sluice.iop.checkpoint.Decisions;
import org.sluice.iop.journal.Journal;
import org.sluice.iop.service.SessionState;

/**
 * The journal of a session, and the state that it tells.
 *
 * @param state state of a session that begins, or of a session left by a former I/O process
 * @param journal record of the decisions; stays its creator's
 */
record SessionJournal(SessionState state, Journal journal) {
  Decisions decisions() {
    return new Decisions(state.checkpoints(), journal);
  }
}
