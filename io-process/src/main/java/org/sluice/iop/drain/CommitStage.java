package org.sluice.iop.drain;

import com.lmax.disruptor.RingBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.sluice.iop.crash.InFlight;
import org.sluice.iop.crash.Lane;

/**
 * The last part of the way: waits for stable storage. Work that may wait is left until there is
 * none that overtakes it, but not for long.
 */
final class CommitStage extends Stage {
  /** The time for which work waits while other work overtakes it. */
  private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final RingBuffer<Event> ring;
  private final DrainStage before;
  private final Lane lane;

  /** The events of work that waits, the oldest first. */
  private final Deque<Event> waiting = new ArrayDeque<>();

  /** The time when the first of them came. */
  private long since;

  CommitStage(final RingBuffer<Event> ring, final DrainStage before, final InFlight inFlight) {
    this.ring = ring;
    this.before = before;
    this.lane = inFlight.lane(Lane.Role.COMMIT);
  }

  @Override
  boolean hasWork() {
    return before.passed().get() > passed().get();
  }

  @Override
  boolean isWorthComing() {
    return before.worth() > passed().get();
  }

  @Override
  void takeAll() {
    takePassed();
    while (!waiting.isEmpty()) {
      takeOldest();
      takePassed();
    }
  }

  private void takePassed() {
    for (long position = passed().get(); position < before.passed().get(); ) {
      position++;
      final Event event = ring.get(position);
      if (event.work().waits()) {
        since = waiting.isEmpty() ? System.nanoTime() : since;
        waiting.add(event.copy());
        event.end();
      } else {
        while (!waiting.isEmpty() && !mayOvertake(event.work())) {
          takeOldest();
        }
        take(event);
      }
      passed().set(position);
    }
  }

  private boolean mayOvertake(final Work work) {
    return work.overtakes() && System.nanoTime() - since < LONGEST_NANOS;
  }

  private void takeOldest() {
    take(waiting.remove());
  }

  private void take(final Event event) {
    take(event, event.end(), lane, Work::commit);
    lane.end();
  }
}
