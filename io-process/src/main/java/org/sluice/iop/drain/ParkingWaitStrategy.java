package org.sluice.iop.drain;

import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.WaitStrategy;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * A wait strategy that parks a stage until the stage before it has work for it. Disruptor's own
 * blocking strategies block only the first stage; the others spin while it works, on cores that
 * belong to the application. A wake-up costs more than a checksum, so only a stage gets one that is
 * parked and can go on.
 *
 * <p>No wake-up is lost. A stage advances its sequence, fences, and looks which stage is parked. A
 * waiter says that it is parked, fences, and looks at the sequence: one of the two sees the other.
 * An unpark before the park makes the park return at once.
 */
final class ParkingWaitStrategy implements WaitStrategy {
  private final List<Waiter> waiters = new CopyOnWriteArrayList<>();
  private final ThreadLocal<Waiter> own = ThreadLocal.withInitial(this::enter);

  /** A stage that waits. Its own thread writes all fields, {@code parked} last. */
  private static final class Waiter {
    private final Thread thread = Thread.currentThread();
    private SequenceBarrier barrier;
    private Sequence dependent;
    private long wanted;
    private LongSupplier worth = () -> Long.MAX_VALUE;
    private volatile boolean parked;

    boolean canGoOn() {
      return parked
          && (Math.min(dependent.get(), worth.getAsLong()) >= wanted || barrier.isAlerted());
    }
  }

  private Waiter enter() {
    final Waiter waiter = new Waiter();
    waiters.add(waiter);
    return waiter;
  }

  /**
   * Leaves the calling stage parked while there is nothing for it.
   *
   * @param worth last position of the stage before it that is worth a wake-up
   */
  void waitFor(final LongSupplier worth) {
    own.get().worth = worth;
  }

  @Override
  public long waitFor(
      final long sequence,
      final Sequence cursor,
      final Sequence dependent,
      final SequenceBarrier barrier)
      throws AlertException {
    long available = dependent.get();
    if (available < sequence) {
      final Waiter waiter = own.get();
      waiter.barrier = barrier;
      waiter.dependent = dependent;
      waiter.wanted = sequence;
      waiter.parked = true;
      VarHandle.fullFence();
      try {
        while ((available = dependent.get()) < sequence) {
          barrier.checkAlert();
          LockSupport.park(this);
        }
      } finally {
        waiter.parked = false;
      }
    }
    return available;
  }

  /** Wakes the stages that wait for the step just done. */
  @Override
  public void signalAllWhenBlocking() {
    VarHandle.fullFence();
    for (final Waiter waiter : waiters) {
      if (waiter.canGoOn()) {
        LockSupport.unpark(waiter.thread);
      }
    }
  }
}
