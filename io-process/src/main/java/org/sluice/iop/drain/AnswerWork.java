package org.sluice.iop.drain;

import java.util.function.Supplier;
import org.sluice.core.request.Reply;

/** Answers a request when everything before it was written. */
final class AnswerWork implements Work {
  private final Caller caller;
  private final Supplier<Reply> reply;

  AnswerWork(final Caller caller, final Supplier<Reply> reply) {
    this.caller = caller;
    this.reply = reply;
  }

  @Override
  public void write() {
    caller.answer(reply.get());
  }
}
