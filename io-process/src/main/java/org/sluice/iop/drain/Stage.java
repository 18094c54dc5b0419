package org.sluice.iop.drain;

import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.Sequence;
import java.io.IOException;
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

  /** Places in the ring come free only when the last stage passes them, so it must now and then. */
  private static final int WAKING_INTERVAL = 64;

  private final Lane lane;
  private final Lane.Role role;
  private final FaultPoint point;
  private final WriteBatch gathering;
  private final ParkingWaitStrategy successors;

  /** Whether work has come here that the next stage has not been told of. */
  private boolean holding;

  /** Set by Disruptor before any stage runs. */
  private Sequence sequence;

  /** The stage before it; null for the first. */
  private Stage predecessor;

  /** The last position that is worth waking the next stage for. */
  private volatile long worth = -1;

  /**
   * A stage.
   *
   * @param lane of its thread, whose role says which stage it is
   * @param gathering what the write stage left undone for chunks; done before anything that does
   *     not join them, and before that stage waits, until there is more to do
   * @param successors wakes the next stage
   */
  Stage(final Lane lane, final WriteBatch gathering, final ParkingWaitStrategy successors) {
    this.lane = lane;
    this.role = lane.role();
    this.point = FaultPoint.valueOf(role.name());
    this.gathering = gathering;
    this.successors = successors;
  }

  /** Says which stage comes before it, before either runs. */
  void follows(final Stage other) {
    predecessor = other;
  }

  /** Disruptor hands over the sequence so that it can advance after each event, not each batch. */
  @Override
  public void setSequenceCallback(final Sequence callback) {
    sequence = callback;
  }

  @Override
  public void onStart() {
    Thread.currentThread().setName(role.thread());
    if (predecessor != null) {
      successors.waitFor(() -> predecessor.worth);
    }
  }

  @Override
  public void onEvent(final Event event, final long position, final boolean endOfBatch) {
    final Work work = event.work;
    if (role == Lane.Role.COMMIT) {
      event.work = null;
    }
    if (role == Lane.Role.WRITE && work.commits() && !joins(work)) {
      gathering.flush(() -> false);
    }
    if (!event.failed) {
      event.failed = !handle(work);
    }
    if (role == Lane.Role.WRITE && endOfBatch) {
      gathering.flush(() -> predecessor.sequence.get() > position);
    }
    lane.end();
    if (role == Lane.Role.WRITE && gathering.isHolding()) {
      holding = true;
    } else {
      pass(work, position);
    }
  }

  /** Behind the write stage there is nothing to do for a chunk. */
  private void pass(final Work work, final long position) {
    sequence.set(position);
    if (holding || position % WAKING_INTERVAL == 0 || role != Lane.Role.WRITE || work.commits()) {
      holding = false;
      worth = position;
      successors.signalAllWhenBlocking();
    }
  }

  private boolean joins(final Work work) {
    return work.joins() && gathering.takesOthers();
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
      step(work);
    } catch (final IOException e) {
      work.fail(e);
      return false;
    }
    if (!work.isHeld(role)) {
      lane.passed(subject, work.id());
    }
    return true;
  }

  private void step(final Work work) throws IOException {
    switch (role) {
      case VALIDATE -> work.validate();
      case WRITE -> work.write();
      default -> work.commit();
    }
  }
}
