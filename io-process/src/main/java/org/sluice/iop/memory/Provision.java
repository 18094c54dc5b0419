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
 * The thread that gives chunks their memory, while processes attach or already use the first
 * chunks. Making a page costs more than copying it, and takes memory that file pages could use. So
 * only a few chunks get memory at once. The others follow with little processor time. Chunks likely
 * to be used take a quarter of one processor, the rest a thirty-second.
 */
public final class Provision implements Runnable {
  /** A provider of memory for one chunk. */
  @FunctionalInterface
  public interface Provider {
    /** Makes the pages of a chunk. */
    void provide(int chunk) throws IOException;
  }

  /** A receiver of how many chunks are in use. */
  @FunctionalInterface
  public interface Demand {
    /**
     * Looks whether more chunks are needed soon.
     *
     * @param processes number of processes that may take a chunk
     */
    void look(int used, int processes);
  }

  /** The number of chunks that a small checkpoint of a few ranks takes. */
  private static final int FIRST = 32;

  /**
   * The rest before a chunk that is likely to be needed, as a multiple of the time that the last
   * chunk took.
   */
  private static final int SHORT_REST = 3;

  /**
   * The rest before a chunk that nobody has needed yet, as a multiple of the time that the last
   * chunk took.
   */
  private static final int LONG_REST = 31;

  /** The pause after the first chunk, which leaves the processors to processes that start. */
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
   * Creates a thread that provides nothing before {@link #begin}.
   *
   * @param withhold receiver of the first chunk that never gets any memory, if there is one
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

  /** Starts to provide memory, in a thread of its own, which ends when the result is closed. */
  public AutoCloseable begin() {
    thread.start();
    return () -> {
      thread.interrupt();
      thread.join();
    };
  }

  /**
   * Notes the demand, as a {@link Demand}. Each process may open a chunk, so for each one is
   * provided at once and none waits. Three times as many chunks as are in use are likely to be
   * needed later. Their pages wait, since the drain needs the processor now. Any thread.
   *
   * @param processes number of processes that may take a chunk
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
