package org.sluice.iop.drain;

import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import org.agrona.BitUtil;
import org.sluice.core.posix.NativeThread;
import org.sluice.core.posix.PosixException;
import org.sluice.iop.measure.Warnings;

/**
 * The drain: three stages, one thread each, through which chunks and requests pass in order. One
 * thread publishes.
 */
public final class Pipeline implements AutoCloseable {
  /**
   * Ranks that still write get three quarters of a core they share with a stage, and ranks that
   * spin in a barrier leave it a quarter: 0 would hold ranks up, 19 starve the drain beside
   * spinning ones.
   */
  private static final int NICE = 5;

  private final Disruptor<Stage.Event> disruptor;

  /**
   * Starts the stages.
   *
   * @param capacity how many pieces of work may be under way before {@link #publish} blocks
   * @param flush writes what chunks left to be written together
   */
  public Pipeline(final int capacity, final Runnable flush) {
    final ParkingWaitStrategy parking = new ParkingWaitStrategy();
    final Thread.Builder threads = Thread.ofPlatform().name("drain-", 0).daemon();
    disruptor =
        new Disruptor<>(
            Stage.Event::new,
            BitUtil.findNextPositivePowerOfTwo(capacity),
            stage -> threads.unstarted(nicely(stage)),
            ProducerType.SINGLE,
            parking);
    disruptor
        .handleEventsWith(new Stage(Work::validate, () -> {}, work -> true, false, parking))
        .then(new Stage(Work::write, flush, Work::commits, false, parking))
        .then(new Stage(Work::commit, () -> {}, work -> true, true, parking));
    disruptor.start();
  }

  private static Runnable nicely(final Runnable stage) {
    return () -> {
      try {
        NativeThread.nice(NICE);
      } catch (final PosixException e) {
        Warnings.warn("the drain competes with the application: " + e.getMessage());
      }
      stage.run();
    };
  }

  /**
   * Sends work through the stages. Service thread only.
   *
   * @param work what to do
   */
  public void publish(final Work work) {
    disruptor.getRingBuffer().publishEvent((event, sequence) -> event.work(work));
  }

  /** Waits until all work is done and ends the stages. */
  @Override
  public void close() {
    disruptor.shutdown();
  }
}
