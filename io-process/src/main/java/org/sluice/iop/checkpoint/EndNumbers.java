package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.sluice.core.fault.Fault.Step;
import org.sluice.core.series.EndNumber;

/**
 * Asks for the number of what no group took, which nodes agree on through storage. That may hang:
 * it holds up the end of this session then, and not those that the service thread still serves.
 * Service thread only.
 */
final class EndNumbers {
  private final Executor service;
  private boolean asking;

  /** Asks storage. */
  @FunctionalInterface
  interface Request {
    EndNumber send() throws IOException;
  }

  /** What comes of the answer. */
  @FunctionalInterface
  interface Next {
    void take(EndNumber agreed) throws IOException;
  }

  EndNumbers(final Executor service) {
    this.service = service;
  }

  /**
   * Asks.
   *
   * @param request asks storage, on a thread of its own
   * @param next gets the answer, later, on the service thread
   * @param failed told there why nothing comes of it
   */
  void ask(final Request request, final Next next, final Consumer<IOException> failed) {
    asking = true;
    Thread.ofPlatform().daemon().name("end").start(() -> await(request, next, failed));
  }

  /** On the thread that asks. */
  private void await(final Request request, final Next next, final Consumer<IOException> failed) {
    Step<IOException> step;
    try {
      final EndNumber agreed = request.send();
      step = () -> next.take(agreed);
    } catch (final IOException e) {
      step = () -> failed.accept(e);
    }
    final Step<IOException> answer = step;
    service.execute(() -> answered(answer, failed));
  }

  private void answered(final Step<IOException> answer, final Consumer<IOException> failed) {
    asking = false;
    try {
      answer.run();
    } catch (final IOException e) {
      failed.accept(e);
    }
  }

  /** Whether there is no answer yet. */
  boolean isAsking() {
    return asking;
  }
}
