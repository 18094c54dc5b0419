package org.sluice.iop.drain;

import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.Sequence;
import java.io.IOException;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.iop.crash.Lane;
import org.sluice.iop.crash.PoisonException;
import org.sluice.iop.crash.Subject;

/** A stage of the {@link Pipeline}: a thread that takes its step of each piece of work in turn. */
final class Stage implements EventHandler<Stage.Event> {
  /**
   * A place in Disruptor's ring. Later stages see the notes of earlier ones: Disruptor orders its
   * sequences.
   */
  static final class Event {
    private Work work;
    private boolean failed;

    void work(final Work next) {
      work = next;
      failed = false;
    }
  }

  /**
   * The number of works after which a stage is woken anyway. Places in the ring come free only when
   * the last stage passes them.
   */
  private static final int WAKING_INTERVAL = 64;

  private final Lane lane;
  private final Lane.Role role;
  private final FaultPoint point;
  private final WriteBatch gathering;
  private final ParkingWaitStrategy successors;

  /** True once work has come here that the next stage has not been told of. */
  private boolean holding;

  /** The sequence of this stage, set by Disruptor before any stage runs. */
  private Sequence sequence;

  /** The stage before it; null for the first. */
  private Stage predecessor;

  /** The last position that is worth waking the next stage for. */
  private volatile long worth = -1;

  /**
   * @param lane lane of its thread, whose role says which stage it is
   * @param gathering chunks left undone by the write stage; written before any work that does not
   *     join them, and before that stage waits, until there is more to do
   * @param successors wait strategy that wakes the next stage
   */
  Stage(final Lane lane, final WriteBatch gathering, final ParkingWaitStrategy successors) {
    this.lane = lane;
    this.role = lane.role();
    this.point = FaultPoint.valueOf(role.name());
    this.gathering = gathering;
    this.successors = successors;
  }

  /** Sets the stage before this one, before either runs. */
  void follows(final Stage other) {
    predecessor = other;
  }

  /** Takes the sequence from Disruptor, to advance it after each event, not each batch. */
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

  /** Passes a work on. After the write stage there is nothing to do for a chunk. */
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

  /**
   * Takes the step of a work, and returns whether it was done. Failures of anything but storage end
   * the I/O process.
   */
  private boolean handle(final Work work) {
    final Subject subject = work.subject();
    try {
      final boolean fit = lane.begin(subject, work.id(), work.slot(), work.imageId());
      if (!fit && subject != Subject.CHUNK) { // a chunk leaves out its poison and gives back all
        throw new PoisonException(subject);
      }
      if (subject != Subject.NONE && subject != Subject.CHUNK) { // a chunk does it at each image
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
