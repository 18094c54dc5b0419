package org.sluice.iop.drain;

import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.WaitStrategy;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Parks a stage until the stage before it got on. Disruptor's own blocking strategies block only
 * the first stage; the others spin while it works, on cores that belong to the application.
 *
 * <p>No wake-up is lost: a stage advances its sequence before it unparks, and a waiter looks at the
 * sequence between two parks; an unpark before the park makes the park return at once.
 */
final class ParkingWaitStrategy implements WaitStrategy {
  private final Set<Thread> waiters = ConcurrentHashMap.newKeySet();

  @Override
  public long waitFor(
      final long sequence,
      final Sequence cursor,
      final Sequence dependent,
      final SequenceBarrier barrier)
      throws AlertException {
    long available = dependent.get();
    if (available < sequence) {
      waiters.add(Thread.currentThread());
      while ((available = dependent.get()) < sequence) {
        barrier.checkAlert();
        LockSupport.park(this);
      }
    }
    return available;
  }

  @Override
  public void signalAllWhenBlocking() {
    waiters.forEach(LockSupport::unpark);
  }
}
