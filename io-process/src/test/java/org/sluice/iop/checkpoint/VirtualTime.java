package org.sluice.iop.checkpoint;

import java.util.PriorityQueue;
import java.util.concurrent.Semaphore;

/**
 * Programs on a clock that goes on when all of them wait. One runs at a time, so thousands cost the
 * processors what they do and no more, and the same happens each time.
 */
final class VirtualTime {
  private final PriorityQueue<Sleeper> sleepers = new PriorityQueue<>();
  private final Semaphore back = new Semaphore(0);
  private long order;
  private volatile long now;
  private volatile Throwable failure;

  private record Sleeper(long until, long order, Semaphore turn) implements Comparable<Sleeper> {
    @Override
    public int compareTo(final Sleeper other) {
      return until == other.until
          ? Long.compare(order, other.order)
          : Long.compare(until, other.until);
    }
  }

  /** What one does. */
  @FunctionalInterface
  interface Program {
    void run() throws Exception;
  }

  long now() {
    return now;
  }

  void start(final Program program) {
    final Semaphore turn = later(now);
    Thread.ofVirtual()
        .start(
            () -> {
              turn.acquireUninterruptibly();
              try {
                program.run();
              } catch (final Throwable e) {
                failure = e;
              }
              back.release();
            });
  }

  private Semaphore later(final long until) {
    final Semaphore turn = new Semaphore(0);
    synchronized (sleepers) {
      sleepers.add(new Sleeper(Math.max(now, until), order++, turn));
    }
    return turn;
  }

  /** A program waits. */
  void sleepUntil(final long until) {
    final Semaphore turn = later(until);
    back.release();
    turn.acquireUninterruptibly();
  }

  /** Lets all of them run to their ends. */
  void run() {
    while (!sleepers.isEmpty()) {
      final Sleeper next = sleepers.remove();
      now = next.until;
      next.turn.release();
      back.acquireUninterruptibly();
      if (failure != null) {
        throw new IllegalStateException("a program fell over", failure);
      }
    }
  }
}
