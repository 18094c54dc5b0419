package org.sluice.iop.drain;

import com.lmax.disruptor.RingBuffer;
import org.sluice.iop.crash.InFlight;
import org.sluice.iop.crash.Lane;

/** The last part of the way: waits for stable storage. */
final class CommitStage extends Stage {
  private final RingBuffer<Event> ring;
  private final DrainStage before;
  private final Lane lane;

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
    for (long position = passed().get(); position < before.passed().get(); ) {
      position++;
      final Event event = ring.get(position);
      take(event, event.end(), lane, Work::commit);
      lane.end();
      passed().set(position);
    }
  }
}
