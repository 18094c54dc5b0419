package org.sluice.iop.drain;

import com.lmax.disruptor.ExceptionHandler;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import java.util.concurrent.CompletableFuture;
import org.agrona.BitUtil;
import org.sluice.core.posix.NativeThread;
import org.sluice.core.posix.PosixException;
import org.sluice.iop.crash.FailStop;
import org.sluice.iop.crash.InFlight;
import org.sluice.iop.crash.Lane;
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
   * @param inFlight what the stages handle
   */
  public Pipeline(final int capacity, final Runnable flush, final InFlight inFlight) {
    final ParkingWaitStrategy parking = new ParkingWaitStrategy();
    final Thread.Builder threads = Thread.ofPlatform().daemon();
    disruptor =
        new Disruptor<>(
            Stage.Event::new,
            BitUtil.findNextPositivePowerOfTwo(capacity),
            stage -> threads.unstarted(nicely(stage)),
            ProducerType.SINGLE,
            parking);
    disruptor.setDefaultExceptionHandler(new StageFailure());
    disruptor
        .handleEventsWith(new Stage(inFlight.lane(Lane.Role.VALIDATE), flush, parking))
        .then(new Stage(inFlight.lane(Lane.Role.WRITE), flush, parking))
        .then(new Stage(inFlight.lane(Lane.Role.COMMIT), flush, parking));
    disruptor.start();
  }

  /** A stage that throws has stopped: a pipeline without it would take work and do nothing. */
  private static final class StageFailure implements ExceptionHandler<Stage.Event> {
    @Override
    public void handleEventException(
        final Throwable failure, final long sequence, final Stage.Event event) {
      FailStop.now(failure);
    }

    @Override
    public void handleOnStartException(final Throwable failure) {
      FailStop.now(failure);
    }

    @Override
    public void handleOnShutdownException(final Throwable failure) {
      FailStop.now(failure);
    }
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

  /**
   * Whether so much is under way that what may wait should. Service thread only.
   *
   * @return true when more than half of what may be under way is
   */
  public boolean isCrowded() {
    final RingBuffer<Stage.Event> ring = disruptor.getRingBuffer();
    return ring.remainingCapacity() < ring.getBufferSize() / 2;
  }

  /**
   * Waits until all work is done and ends the stages. Service thread only. Disruptor itself would
   * not wait for a stage whose thread has not come to run yet.
   */
  @Override
  public void close() {
    final CompletableFuture<Void> done = new CompletableFuture<>();
    publish(new StepWork(Lane.Role.COMMIT, () -> done.complete(null)));
    done.join();
    disruptor.shutdown();
  }
}
