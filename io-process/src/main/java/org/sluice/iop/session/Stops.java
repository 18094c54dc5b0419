package org.sluice.iop.session;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * The signals that end an I/O process. Before there is a session a signal ends the JVM, which
 * leaves nothing: the end waits for the start, since a start that goes on would make files while
 * they are removed. From then on a signal ends the session. No moment lies between: the JVM's own
 * handlers begin its end on a thread that may be late.
 */
final class Stops {
  private static final Map<String, Integer> NUMBERS = Map.of("HUP", 1, "INT", 2, "TERM", 15);

  private static final int KILLED = 128;

  /** The time for a start to be over. A store that does not answer may hold it for longer. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final IntConsumer exit;
  private Consumer<String> session;
  private boolean over;
  private final CountDownLatch started = new CountDownLatch(1);

  /** Creates a receiver of signals that nobody sends yet, for tests. */
  Stops(final IntConsumer exit) {
    this.exit = exit;
  }

  /**
   * Returns a receiver of the signals. Called before anything is there that a signal could leave
   * behind.
   */
  static Stops heed() {
    final Stops stops = new Stops(System::exit);
    NUMBERS.keySet().forEach(name -> Signals.on(name, () -> stops.arrived(name)));
    return stops;
  }

  void arrived(final String name) {
    final Consumer<String> to;
    synchronized (this) {
      to = session;
      over |= to == null;
    }
    if (to != null) {
      to.accept(name);
    } else {
      awaitStart();
      exit.accept(KILLED + NUMBERS.get(name));
    }
  }

  private void awaitStart() {
    try {
      started.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (final InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Passes signals to a session from here on. This does not return where a signal came before.
   *
   * @param keeps step that makes the present files outlive this process
   */
  void pass(final Runnable keeps, final Consumer<String> to) {
    synchronized (this) {
      if (!over) {
        keeps.run();
        session = to;
        return;
      }
    }
    started.countDown();
    while (true) {
      LockSupport.park();
    }
  }
}
