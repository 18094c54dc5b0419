package org.sluice.iop.memory;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.iop.measure.Warnings;

/**
 * Gives the chunks their memory while processes attach, or already use the first of them. To make a
 * page costs more than to copy it, and takes memory in which a file's pages would lie. So only a
 * few chunks get theirs at once, and the others with what a program beside hardly notices of a
 * processor: a quarter of one as long as those in use are many, else a thirty-second.
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

  /** How often the time that a chunk took passes before one that is likely to be needed. */
  private static final int SHORT_REST = 3;

  /** The same before one that nobody has needed yet. */
  private static final int LONG_REST = 31;

  /** How long all but the first leave the processors to processes that start. */
  private static final long LATER_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final int count;
  private final Provider provider;
  private final IntConsumer withhold;
  private final LongSupplier clock;
  private final LongConsumer pause;
  private final Thread thread = Thread.ofPlatform().daemon().name("prefault").unstarted(this);
  private volatile int needed = FIRST;
  private volatile int likely;
  private int provided;

  /**
   * Provides nothing before {@link #begin}.
   *
   * @param count how many chunks there are
   * @param provider called for each, in ascending order
   * @param withhold told the first chunk that never gets any memory, if there is one
   */
  public Provision(final int count, final Provider provider, final IntConsumer withhold) {
    this(count, provider, withhold, System::nanoTime, LockSupport::parkNanos);
  }

  Provision(
      final int count,
      final Provider provider,
      final IntConsumer withhold,
      final LongSupplier clock,
      final LongConsumer pause) {
    this.count = count;
    this.provider = provider;
    this.withhold = withhold;
    this.clock = clock;
    this.pause = pause;
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
   * Each process may open a chunk, so none waits for one that nobody provides. Three times as many
   * as are in use are likely to be at a later moment: not now, since the drain, which gives chunks
   * back, would have to do without that processor. A {@link Demand}. Any thread.
   *
   * @param used how many chunks are in use
   * @param processes how many may take one
   */
  public void look(final int used, final int processes) {
    if (FIRST + processes > needed || 3 * used > likely) {
      needed = Math.max(needed, FIRST + processes);
      likely = Math.max(likely, 3 * used);
      LockSupport.unpark(thread);
    }
  }

  @Override
  public void run() {
    if (!provideNext()) {
      return;
    }
    pause.accept(LATER_NANOS);
    long end = clock.getAsLong();
    long cost = 0;
    while (provided < count && !Thread.currentThread().isInterrupted()) {
      final long begin = clock.getAsLong();
      final long due = end + cost * rest();
      if (begin - due < 0) {
        pause.accept(due - begin);
        continue;
      }
      if (!provideNext()) {
        return;
      }
      end = clock.getAsLong();
      cost = end - begin;
    }
  }

  private int rest() {
    return provided < needed ? 0 : provided < likely ? SHORT_REST : LONG_REST;
  }

  private boolean provideNext() {
    Fault.strike(FaultPoint.PREFAULT);
    return provide(provided++);
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
