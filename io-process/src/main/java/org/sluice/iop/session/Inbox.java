package org.sluice.iop.session;

import java.io.IOException;
import java.nio.channels.Selector;
import java.util.concurrent.Executor;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;

/** The steps for the service thread, and the selector in which it waits for them. */
final class Inbox implements Executor, AutoCloseable {
  private final Selector selector = Selector.open();
  private final ManyToOneConcurrentLinkedQueue<Runnable> steps =
      new ManyToOneConcurrentLinkedQueue<>();

  Inbox() throws IOException {}

  /** Runs a step on the service thread. Any thread. */
  @Override
  public void execute(final Runnable step) {
    steps.add(step);
    selector.wakeup();
  }

  /** Runs the steps so far, and returns their number. Service thread only. */
  int run() {
    int count = 0;
    for (Runnable step = steps.poll(); step != null; step = steps.poll()) {
      step.run();
      count++;
    }
    return count;
  }

  boolean isEmpty() {
    return steps.isEmpty();
  }

  /** Returns the selector that an added step wakes. Its channels are the service's. */
  Selector selector() {
    return selector;
  }

  /** Returns the number of open channels, the server's included. */
  int connections() {
    return selector.keys().size();
  }

  @Override
  public void close() throws IOException {
    selector.close();
  }
}
