package org.sluice.iop.drain;

import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.WaitStrategy;
import java.io.IOException;
import java.util.function.Predicate;

/** One thread of the {@link Pipeline}: does its step of each piece of work in turn. */
final class Stage implements EventHandler<Stage.Event> {
  /** A place in Disruptor's ring. */
  static final class Event {
    private Work work;

    void work(final Work next) {
      work = next;
    }
  }

  /** What a stage does to a piece of work. */
  @FunctionalInterface
  interface Step {
    void apply(Work work) throws IOException;
  }

  /** Places in the ring come free only when the last stage passes them, so it must now and then. */
  private static final int WAKING_INTERVAL = 64;

  private final Step step;
  private final Runnable flush;
  private final Predicate<Work> wakes;
  private final boolean last;
  private final WaitStrategy successors;
  private Sequence sequence;

  /**
   * A stage.
   *
   * @param flush ends what the step left undone for chunks; done before anything else than a chunk,
   *     and before the stage waits
   * @param wakes tells the work that the next stage has something to do for
   * @param last whether it is the last stage
   * @param successors wakes the next stage
   */
  Stage(
      final Step step,
      final Runnable flush,
      final Predicate<Work> wakes,
      final boolean last,
      final WaitStrategy successors) {
    this.step = step;
    this.flush = flush;
    this.wakes = wakes;
    this.last = last;
    this.successors = successors;
  }

  /** Disruptor hands over the sequence so that it can advance after each event, not each batch. */
  @Override
  public void setSequenceCallback(final Sequence callback) {
    sequence = callback;
  }

  @Override
  public void onEvent(final Event event, final long position, final boolean endOfBatch) {
    final Work work = event.work;
    if (last) {
      event.work = null;
    }
    if (work.commits()) {
      flush.run();
    }
    try {
      step.apply(work);
    } catch (final IOException | RuntimeException e) {
      work.fail(e);
    }
    if (endOfBatch) {
      flush.run();
    }
    sequence.set(position);
    if (position % WAKING_INTERVAL == 0 || wakes.test(work)) {
      successors.signalAllWhenBlocking();
    }
  }
}
