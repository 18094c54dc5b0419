package org.sluice.iop.drain;

import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import org.agrona.BitUtil;

/**
 * The drain: three stages, one thread each, through which chunks and requests pass in order. One
 * thread publishes.
 */
public final class Pipeline implements AutoCloseable {
  private final Disruptor<Stage.Event> disruptor;

  /**
   * Starts the stages.
   *
   * @param capacity how many pieces of work may be under way before {@link #publish} blocks
   */
  public Pipeline(final int capacity) {
    final ParkingWaitStrategy parking = new ParkingWaitStrategy();
    disruptor =
        new Disruptor<>(
            Stage.Event::new,
            BitUtil.findNextPositivePowerOfTwo(capacity),
            Thread.ofPlatform().name("drain-", 0).daemon().factory(),
            ProducerType.SINGLE,
            parking);
    disruptor
        .handleEventsWith(new Stage(Work::validate, work -> true, false, parking))
        .then(new Stage(Work::write, Work::commits, false, parking))
        .then(new Stage(Work::commit, work -> true, true, parking));
    disruptor.start();
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
