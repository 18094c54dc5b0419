package org.sluice.iop.memory;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.iop.measure.Warnings;

/**
 * Gives the chunks their memory while processes attach, or already use the first of them. To make a
 * page costs more than to copy it, and takes memory in which a file's pages would lie. So only a
 * few chunks get theirs at once, others ahead of those that are in use, and the rest with what a
 * program beside hardly notices of a processor.
 */
public final class Provision implements Runnable {
  /** Gives one chunk its memory. */
  @FunctionalInterface
  public interface Provider {
    /**
     * Makes a chunk's pages.
     *
     * @param chunk its index
     * @throws IOException when there are none
     */
    void provide(int chunk) throws IOException;
  }

  /** Learns what is needed. */
  @FunctionalInterface
  public interface Demand {
    /**
     * Looks whether more chunks are needed soon.
     *
     * @param used how many are in use
     * @param processes how many may take one
     */
    void look(int used, int processes);
  }

  /** What a small checkpoint of a few ranks takes. */
  private static final int FIRST = 32;

  /** How often the time that a chunk took passes before another one is made that nobody needs. */
  private static final int REST = 31;

  private final int count;
  private final Provider provider;
  private final IntConsumer withhold;
  private final Thread thread = Thread.ofPlatform().daemon().name("prefault").unstarted(this);
  private volatile int wanted = FIRST;
  private volatile int provided;

  /**
   * Provides nothing before {@link #begin}.
   *
   * @param count how many chunks there are
   * @param provider called for each, in ascending order
   * @param withhold told the first chunk that never gets any memory, if there is one
   */
  public Provision(final int count, final Provider provider, final IntConsumer withhold) {
    this.count = count;
    this.provider = provider;
    this.withhold = withhold;
  }

  /**
   * Begins to provide, in a thread of its own.
   *
   * @return ends it when it is closed
   */
  public AutoCloseable begin() {
    thread.start();
    return () -> {
      thread.interrupt();
      thread.join();
    };
  }

  /**
   * As many again as are in use may be in use at the next moment, and each process may open one, so
   * none waits for a chunk that nobody provides. A {@link Demand}. Any thread.
   *
   * @param used how many chunks are in use
   * @param processes how many may take one
   */
  public void look(final int used, final int processes) {
    final int enough = FIRST + 2 * (used + processes);
    if (enough > wanted) {
      wanted = enough;
      if (provided < count) {
        LockSupport.unpark(thread);
      }
    }
  }

  @Override
  public void run() {
    long rested = System.nanoTime();
    while (provided < count && !Thread.currentThread().isInterrupted()) {
      final long begin = System.nanoTime();
      if (provided < wanted || begin - rested >= 0) {
        Fault.strike(FaultPoint.PREFAULT);
        if (!provide(provided)) {
          return;
        }
        final long end = System.nanoTime();
        rested = end + REST * (end - begin);
        provided++;
      } else {
        LockSupport.parkNanos(this, rested - begin);
      }
    }
  }

  private boolean provide(final int chunk) {
    try {
      provider.provide(chunk);
      return true;
    } catch (final IOException e) {
      Warnings.warn(
          "the buffer keeps only %d of its %d chunks: %s".formatted(chunk, count, e.getMessage()));
      withhold.accept(chunk);
      return false;
    }
  }
}
