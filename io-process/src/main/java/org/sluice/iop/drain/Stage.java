package org.sluice.iop.drain;

import com.lmax.disruptor.Sequence;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.iop.crash.Lane;
import org.sluice.iop.crash.PoisonException;
import org.sluice.iop.crash.Subject;

/**
 * A part of the way of each work through the {@link Pipeline}: takes its steps of one work after
 * another, on whichever thread comes, and on one thread at a time. A thread that has left it goes
 * to the next part by itself. So while there is nothing else a work goes from the first step to the
 * last one without a hand-off.
 *
 * <p>The next step sees all that a step wrote, on the same thread or another: {@link #busy} orders
 * threads that come one after the other, the sequences order one part and the next.
 *
 * <p>No work is left behind. Work is entered before a fence and a look at {@link #busy}. A thread
 * that leaves says so, fences, and looks for work once more. So one of the two sees the other.
 */
abstract class Stage {
  /** A place in Disruptor's ring. */
  static final class Event {
    private Work work;
    private boolean failed;

    void work(final Work next) {
      work = next;
      failed = false;
    }

    Work work() {
      return work;
    }

    /** Returns a copy, which stays when the place in the ring gets other work. */
    Event copy() {
      final Event copy = new Event();
      copy.work = work;
      copy.failed = failed;
      return copy;
    }

    /** Lets the work go, and returns it. */
    Work end() {
      final Work last = work;
      work = null;
      return last;
    }
  }

  /** A step of a work. */
  @FunctionalInterface
  interface Step {
    void of(Work work) throws IOException;
  }

  /** The position of the last work that has left. */
  private final Sequence passed = new Sequence();

  private final AtomicBoolean busy = new AtomicBoolean();

  /**
   * Takes the steps that there are, unless another thread does: any thread looks for more before it
   * leaves. After a failure of the I/O process's own, no thread goes on with this part.
   */
  final void run() {
    VarHandle.fullFence();
    while (hasWork() && busy.compareAndSet(false, true)) {
      takeAll();
      busy.set(false);
      VarHandle.fullFence();
    }
  }

  /** Returns whether a thread should come. Any thread, after a fence. */
  final boolean needsThread() {
    return isWorthComing() && !busy.get();
  }

  /** Returns the position of the last work that has left. */
  final Sequence passed() {
    return passed;
  }

  abstract boolean hasWork();

  /** Returns whether there is work for which a sleeping thread is to be woken. */
  abstract boolean isWorthComing();

  /** Takes the steps of all work that there is; for one thread at a time. */
  abstract void takeAll();

  /**
   * Takes a step of a work, unless an earlier one failed. Failures of anything but storage end the
   * I/O process.
   */
  static void take(final Event event, final Work work, final Lane lane, final Step step) {
    if (!event.failed) {
      named(lane.role(), () -> event.failed = !handle(work, lane, step));
    }
  }

  /**
   * Runs an action, and names the thread after it if it fails: by that name the report of the
   * failure and the next I/O process find the lane. To name it each time would be a system call.
   */
  static void named(final Lane.Role role, final Runnable action) {
    try {
      action.run();
    } catch (final RuntimeException | Error failure) {
      Thread.currentThread().setName(role.thread());
      throw failure;
    }
  }

  private static boolean handle(final Work work, final Lane lane, final Step step) {
    final Subject subject = work.subject();
    try {
      final boolean fit = lane.begin(subject, work.id(), work.slot(), work.imageId());
      if (!fit && subject != Subject.CHUNK) { // a chunk leaves out its poison and gives back all
        throw new PoisonException(subject);
      }
      if (subject != Subject.NONE && subject != Subject.CHUNK) { // a chunk does it at each image
        Fault.strike(FaultPoint.valueOf(lane.role().name()));
      }
      step.of(work);
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
