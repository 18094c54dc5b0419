package org.sluice.iop.drain;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.sluice.core.libc.PosixException;
import org.sluice.core.process.NativeThread;
import org.sluice.iop.measure.Warnings;

/**
 * The pace at which the I/O process's threads share the processors with the ranks. While ranks
 * write, no thread takes a processor from a rank. A rank that loses it in the middle of its
 * checkpoint comes back milliseconds later. From the last close until all is durable the ranks wait
 * for the threads, often spinning. So then the threads come at once, and for short times.
 *
 * <p>An image that is only held open holds nothing back: waiting work is hurried when nothing came
 * for a while.
 */
public final class Pace {
  /** The shortest time slice that Linux grants. */
  private static final long SLICE_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

  /** The time without anything new after which an open file counts as held open only. */
  private static final long HELD_MILLIS = 20;

  /**
   * The same time with no file open. Of more ranks than cores some have closed theirs before others
   * have begun.
   */
  private static final long CLOSED_MILLIS = 3;

  private record Member(NativeThread thread, int nice) {}

  private final LongSupplier clock;

  /**
   * The threads that keep the pace. Guarded by this, as {@code refused} is: threads join while the
   * service thread looks.
   */
  private final List<Member> members = new ArrayList<>();

  private boolean refused;
  private boolean hurries;
  private long lastWritten;

  Pace() {
    this(System::nanoTime);
  }

  Pace(final LongSupplier clock) {
    this.clock = clock;
    this.lastWritten = clock.getAsLong();
  }

  /**
   * Makes the calling thread keep the pace, with the nice value that it was born with: a process
   * without privileges could not take back a higher one once ranks wait. Any thread.
   */
  public synchronized void join() {
    final NativeThread thread = NativeThread.current();
    try {
      final Member member = new Member(thread, thread.nice());
      members.add(member);
      schedule(member);
    } catch (final PosixException e) {
      refused(e);
    }
  }

  /** Notes that a record came from a process. Service thread only. */
  public void written() {
    lastWritten = clock.getAsLong();
  }

  /**
   * Sets the pace. Service thread only.
   *
   * @param open whether a process has an image open
   * @param committing whether a commit is under way, of which all images are closed
   * @param idle whether the drain has nothing to do
   * @param limit a time in milliseconds
   * @return time until the next look, at most the limit
   */
  public long look(
      final boolean open, final boolean committing, final boolean idle, final long limit) {
    final long pause = open ? HELD_MILLIS : committing ? 0 : CLOSED_MILLIS;
    final long quiet = TimeUnit.NANOSECONDS.toMillis(clock.getAsLong() - lastWritten);
    hurry(!idle && quiet >= pause);
    return idle ? limit : Math.min(limit, hurries ? HELD_MILLIS : pause - quiet);
  }

  private synchronized void hurry(final boolean whether) {
    if (hurries != whether) {
      hurries = whether;
      members.forEach(this::schedule);
    }
  }

  private void schedule(final Member member) {
    try {
      if (!refused) {
        member.thread.schedule(!hurries, member.nice, hurries ? SLICE_NANOS : 0);
      }
    } catch (final PosixException e) {
      refused(e);
    }
  }

  private void refused(final PosixException e) {
    refused = true;
    Warnings.warn("the drain competes with the application: " + e.getMessage());
  }
}
