package org.sluice.iop.drain;

import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.WaitStrategy;
import java.io.IOException;
import java.util.function.Predicate;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.iop.crash.Lane;
import org.sluice.iop.crash.PoisonException;
import org.sluice.iop.crash.Subject;

/** One thread of the {@link Pipeline}: does its step of each piece of work in turn. */
final class Stage implements EventHandler<Stage.Event> {
  /**
   * A place in Disruptor's ring. What a stage notes of the work the next ones see: Disruptor orders
   * its sequences.
   */
  static final class Event {
    private Work work;
    private boolean failed;

    void work(final Work next) {
      work = next;
      failed = false;
    }
  }

  /** What a stage does to a piece of work. */
  @FunctionalInterface
  interface Step {
    void apply(Work work) throws IOException;
  }

  /** Places in the ring come free only when the last stage passes them, so it must now and then. */
  private static final int WAKING_INTERVAL = 64;

  private final Lane lane;
  private final FaultPoint point;
  private final Step step;
  private final Runnable flush;
  private final Predicate<Work> wakes;
  private final boolean last;
  private final WaitStrategy successors;
  private Sequence sequence;

  /**
   * A stage.
   *
   * @param lane of its thread
   * @param point where a fault can be asked for
   * @param flush ends what the step left undone for chunks; done before anything else than a chunk,
   *     and before the stage waits
   * @param wakes tells the work that the next stage has something to do for
   * @param last whether it is the last stage
   * @param successors wakes the next stage
   */
  Stage(
      final Lane lane,
      final FaultPoint point,
      final Step step,
      final Runnable flush,
      final Predicate<Work> wakes,
      final boolean last,
      final WaitStrategy successors) {
    this.lane = lane;
    this.point = point;
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
  public void onStart() {
    Thread.currentThread().setName(lane.role().thread());
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
    if (!event.failed) {
      event.failed = !handle(work);
    }
    if (endOfBatch) {
      flush.run();
    }
    lane.end();
    sequence.set(position);
    if (position % WAKING_INTERVAL == 0 || wakes.test(work)) {
      successors.signalAllWhenBlocking();
    }
  }

  /** Whether the step was done; what else than storage goes wrong in it ends the I/O process. */
  private boolean handle(final Work work) {
    final Subject subject = work.subject();
    try {
      final boolean fit = lane.begin(subject, work.id(), work.slot(), work.imageId());
      if (!fit && subject != Subject.CHUNK) { // which leaves out what is poison and gives back all
        throw new PoisonException(subject);
      }
      if (subject != Subject.NONE && subject != Subject.CHUNK) { // which does it at each image
        Fault.strike(point);
      }
      step.apply(work);
    } catch (final IOException e) {
      work.fail(e);
      return false;
    }
    if (!work.isHeld(lane.role())) {
      lane.passed(subject, work.id());
    }
    return true;
  }
}
