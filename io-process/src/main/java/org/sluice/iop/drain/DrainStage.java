package org.sluice.iop.drain;

import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import java.util.function.BooleanSupplier;
import org.sluice.iop.crash.InFlight;
import org.sluice.iop.crash.Lane;

/** The first part of the way: validates and writes, and never waits for stable storage. */
final class DrainStage extends Stage {
  /**
   * The number of works after which the next stage is worth a thread anyway. Places in the ring
   * come free only when the last stage passes them.
   */
  private static final int WAKING_INTERVAL = 64;

  private final RingBuffer<Event> ring;
  private final Lane validating;
  private final Lane writing;
  private final WriteBatch gathering;
  private final Runnable wake;

  /** The position of the last work whose steps are taken: some of them wait to be passed on. */
  private final Sequence taken = new Sequence();

  /** True once a work has come here that is not passed on. */
  private boolean holding;

  /** The last position that is worth a thread for the next stage. */
  private volatile long worth = -1;

  /**
   * @param gathering chunks left undone here; written before any work that does not join them, and
   *     before a thread leaves, until there is more to do
   * @param wake wakes a thread for the next stage, as the thread here has more to do
   */
  DrainStage(
      final RingBuffer<Event> ring,
      final InFlight inFlight,
      final WriteBatch gathering,
      final Runnable wake) {
    this.ring = ring;
    this.validating = inFlight.lane(Lane.Role.VALIDATE);
    this.writing = inFlight.lane(Lane.Role.WRITE);
    this.gathering = gathering;
    this.wake = wake;
  }

  @Override
  boolean hasWork() {
    return ring.getCursor() > taken.get();
  }

  @Override
  boolean isWorthComing() {
    return hasWork();
  }

  /** Returns the last position that is worth a thread for the next stage. */
  long worth() {
    return worth;
  }

  @Override
  void takeAll() {
    long position = taken.get();
    for (long last = ring.getCursor(); position < last; last = ring.getCursor()) {
      wake.run(); // this thread meant to see to the next stage itself
      while (position < last) {
        position++;
        take(position, position == last);
        taken.set(position);
      }
    }
  }

  private void take(final long position, final boolean endOfBatch) {
    final Event event = ring.get(position);
    final Work work = event.work();
    take(event, work, validating, Work::validate);
    validating.end();
    if (work.commits() && !joins(work)) {
      flush(() -> false);
    }
    take(event, work, writing, Work::write);
    if (endOfBatch) {
      flush(() -> ring.getCursor() > position);
    }
    writing.end();
    if (gathering.isHolding()) {
      holding = true;
    } else {
      pass(work, position);
    }
  }

  private void flush(final BooleanSupplier more) {
    named(Lane.Role.WRITE, () -> gathering.flush(more));
  }

  private boolean joins(final Work work) {
    return work.joins() && gathering.takesOthers();
  }

  /** Passes a work on. After this stage there is nothing to do for a chunk. */
  private void pass(final Work work, final long position) {
    passed().set(position);
    if (holding || position % WAKING_INTERVAL == 0 || work.commits()) {
      holding = false;
      worth = position;
      if (ring.getCursor() > position) {
        wake.run();
      }
    }
  }
}
