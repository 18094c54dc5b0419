package org.sluice.iop.drain;

import org.sluice.core.request.Reply;

/** The process that waits for the reply to a request. Any thread. */
@FunctionalInterface
public interface Caller {
  /** Answers; never waits for the other side to read. */
  void answer(Reply reply);
}
