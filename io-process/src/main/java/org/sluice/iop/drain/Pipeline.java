package org.sluice.iop.drain;

import com.lmax.disruptor.BusySpinWaitStrategy;
import com.lmax.disruptor.RingBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.agrona.BitUtil;
import org.sluice.iop.crash.InFlight;
import org.sluice.iop.crash.Lane;

/**
 * The pipeline of the drain: two stages through which chunks and requests pass in order. The first
 * one validates and writes, the last one waits for stable storage. A single thread publishes.
 */
final class Pipeline implements AutoCloseable {
  private final RingBuffer<Stage.Event> ring;
  private final DrainStage drain;
  private final CommitStage commit;
  private final StageThreads threads;

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
    // The strategy is for Disruptor's own consumers, and there are none.
    ring =
        RingBuffer.createSingleProducer(
            Stage.Event::new,
            BitUtil.findNextPositivePowerOfTwo(capacity),
            new BusySpinWaitStrategy());
    drain = new DrainStage(ring, inFlight, gathering, this::wake);
    commit = new CommitStage(ring, drain, inFlight);
    ring.addGatingSequences(commit.passed());
    threads = new StageThreads(List.of(drain, commit), pace);
  }

  private void wake() {
    threads.wake();
  }

  /** Sends work through the stages. Service thread only. */
  public void publish(final Work work) {
    ring.publishEvent((event, sequence) -> event.work(work));
    if (work.isAwaited()) {
      lastAwaited = ring.getCursor();
      lastCommitting = work.commits() ? lastAwaited : lastCommitting;
    }
    wake();
  }

  /**
   * Returns whether so much is under way that less urgent work should wait. Service thread only.
   */
  public boolean isCrowded() {
    return ring.remainingCapacity() < ring.getBufferSize() / 2;
  }

  /**
   * Returns whether nothing is under way. Service thread only.
   *
   * @return false also while the last of it is not passed on yet
   */
  public boolean isEmpty() {
    return ring.remainingCapacity() == ring.getBufferSize();
  }

  /**
   * Returns whether all work is done that processes wait for. Service thread only.
   *
   * @return false also while the last of it is not passed on yet
   */
  public boolean isIdle() {
    return drain.passed().get() >= lastAwaited && commit.passed().get() >= lastCommitting;
  }

  /** Waits until all work is done and ends the threads. Service thread only. */
  @Override
  public void close() {
    final CompletableFuture<Void> done = new CompletableFuture<>();
    publish(new StepWork(Lane.Role.COMMIT, () -> done.complete(null)));
    done.join();
    threads.end();
  }
}
