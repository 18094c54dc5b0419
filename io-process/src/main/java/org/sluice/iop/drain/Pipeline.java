package org.sluice.iop.drain;

import com.lmax.disruptor.ExceptionHandler;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import java.util.concurrent.CompletableFuture;
import org.agrona.BitUtil;
import org.sluice.iop.crash.FailStop;
import org.sluice.iop.crash.InFlight;
import org.sluice.iop.crash.Lane;

/**
 * The pipeline of the drain: three stages, one thread each, through which chunks and requests pass
 * in order. A single thread publishes.
 */
final class Pipeline implements AutoCloseable {
  private final Disruptor<Stage.Event> disruptor;
  private final Stage write;
  private final Stage commit;

  /**
   * The position of the last work that processes wait for, and of the last such work that the last
   * stage ends.
   */
  private long lastAwaited = -1;

  private long lastCommitting = -1;

  /**
   * Starts the stages.
   *
   * @param capacity number of pieces of work under way at which {@link #publish} blocks
   * @param gathering chunks left to be written together
   */
  Pipeline(
      final int capacity, final WriteBatch gathering, final InFlight inFlight, final Pace pace) {
    final ParkingWaitStrategy parking = new ParkingWaitStrategy();
    final Thread.Builder threads = Thread.ofPlatform().daemon();
    disruptor =
        new Disruptor<>(
            Stage.Event::new,
            BitUtil.findNextPositivePowerOfTwo(capacity),
            stage -> threads.unstarted(pacing(stage, pace)),
            ProducerType.SINGLE,
            parking);
    disruptor.setDefaultExceptionHandler(new StageFailure());
    final Stage validate = new Stage(inFlight.lane(Lane.Role.VALIDATE), gathering, parking);
    write = new Stage(inFlight.lane(Lane.Role.WRITE), gathering, parking);
    commit = new Stage(inFlight.lane(Lane.Role.COMMIT), gathering, parking);
    write.follows(validate);
    commit.follows(write);
    disruptor.handleEventsWith(validate).then(write).then(commit);
    disruptor.start();
  }

  /**
   * A handler that ends the process when a stage throws: a pipeline without a stage would take work
   * and do nothing.
   */
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

  private static Runnable pacing(final Runnable stage, final Pace pace) {
    return () -> {
      pace.join(Pace.STAGE);
      stage.run();
    };
  }

  /** Sends work through the stages. Service thread only. */
  public void publish(final Work work) {
    final RingBuffer<Stage.Event> ring = disruptor.getRingBuffer();
    ring.publishEvent((event, sequence) -> event.work(work));
    if (work.isAwaited()) {
      lastAwaited = ring.getCursor();
      lastCommitting = work.commits() ? lastAwaited : lastCommitting;
    }
  }

  /**
   * Returns whether so much is under way that less urgent work should wait. Service thread only.
   */
  public boolean isCrowded() {
    final RingBuffer<Stage.Event> ring = disruptor.getRingBuffer();
    return ring.remainingCapacity() < ring.getBufferSize() / 2;
  }

  /**
   * Returns whether nothing is under way. Service thread only.
   *
   * @return false also while the last of it is not passed on yet
   */
  public boolean isEmpty() {
    final RingBuffer<Stage.Event> ring = disruptor.getRingBuffer();
    return ring.remainingCapacity() == ring.getBufferSize();
  }

  /**
   * Returns whether all work is done that processes wait for. Service thread only.
   *
   * @return false also while the last of it is not passed on yet
   */
  public boolean isIdle() {
    return disruptor.getSequenceValueFor(write) >= lastAwaited
        && disruptor.getSequenceValueFor(commit) >= lastCommitting;
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
