package org.sluice.iop.drain;

import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.WaitStrategy;
import java.io.IOException;

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

  private final Step step;
  private final boolean last;
  private final WaitStrategy successors;
  private Sequence sequence;

  Stage(final Step step, final boolean last, final WaitStrategy successors) {
    this.step = step;
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
    try {
      step.apply(work);
    } catch (final IOException | RuntimeException e) {
      work.fail(e);
    }
    sequence.set(position);
    successors.signalAllWhenBlocking();
  }
}
