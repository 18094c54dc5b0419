package org.sluice.iop.checkpoint;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import org.sluice.core.libc.Errno;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.iop.drain.Caller;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Failure;

/** Processes that wait until a checkpoint is committed. Service thread only. */
public final class Waiters {
  private final List<Waiter> waiting = new ArrayList<>();
  private final Set<Long> committed = new HashSet<>();

  /** The checkpoints that are judged by what became of them in this session. */
  private final Set<Long> begun = new HashSet<>();

  /** The number of times that each was begun: an older commit of it answers no waiter. */
  private final Map<Long, Integer> writings = new HashMap<>();

  private final LongPredicate before;

  /** The failures of commits, by number: a rank that asks later is told the reason. */
  private final Map<Long, Entry.Ended> failed;

  /**
   * The last failure of each number that came once it was being written anew, which answers no
   * waiter.
   */
  private final Map<Long, Entry.Ended> older = new HashMap<>();

  /** The replies for checkpoints that this node has and others will not, by number. */
  private final Map<Long, Reply> refused = new HashMap<>();

  private record Waiter(long number, long deadline, Caller caller) {}

  /**
   * @param before whether a checkpoint counts that this session has not begun, by its number
   * @param state knows how commits failed
   */
  public Waiters(final LongPredicate before, final CheckpointState state) {
    this.before = before;
    failed = state.failed();
  }

  /**
   * Answers when the checkpoint is committed or that has failed, at once if so.
   *
   * @param written whether this session writes it: then no older commit counts, and storage need
   *     not be asked for one
   */
  public void add(final Request.Await request, final boolean written, final Caller caller) {
    final long number = request.checkpoint();
    final boolean isNew = written || begun.contains(number);
    if (committed.contains(number) || !isNew && before.test(number)) {
      caller.answer(new Reply.Done());
    } else if (failed.containsKey(number) && !failed.get(number).equals(older.get(number))) {
      caller.answer(reply(number, failed.get(number)));
    } else if (refused.containsKey(number)) {
      caller.answer(refused.get(number));
    } else {
      final long millis = Math.clamp(request.timeoutMillis(), 0, Long.MAX_VALUE >> 22);
      final long nanos = millis * 1_000_000;
      waiting.add(new Waiter(number, System.nanoTime() + nanos, caller));
    }
  }

  /** The checkpoint is being written anew: its older commit does not count. */
  public void begun(final long number) {
    committed.remove(number);
    refused.remove(number);
    begun.add(number);
    writings.merge(number, 1, Integer::sum);
  }

  /**
   * Notes that more files have joined a checkpoint than its last commit has; the next one may be
   * under way by now.
   */
  public void grown(final long number, final boolean isNextUnderWay) {
    if (isNextUnderWay) {
      committed.remove(number);
    } else {
      begun(number);
    }
  }

  /** Returns how many times a checkpoint was begun, to be told with its commit. */
  public int writing(final long number) {
    return writings.getOrDefault(number, 0);
  }

  /** A commit counts that was decided when the checkpoint had been begun so often. */
  void committed(final long number, final int writing) {
    if (writing == writing(number)) {
      refused.remove(number);
      committed.add(number);
      begun.add(number);
    }
  }

  /** Answers those who wait that the checkpoint is not there yet, and why. */
  void delayed(final long number, final Failure why) {
    answer(waiter -> waiter.number == number, reply(number, why));
  }

  /** The same for good, unless the checkpoint is written anew. */
  void refused(final long number, final int writing, final Failure why) {
    if (writing == writing(number)) {
      refused.put(number, reply(number, why));
      answer(waiter -> waiter.number == number, refused.get(number));
    }
  }

  /**
   * Returns whether a checkpoint has come to its end, so that its waiters cannot be answered
   * otherwise any more.
   */
  public boolean isOver(final long number) {
    return committed.contains(number) || failed.containsKey(number) || refused.containsKey(number);
  }

  private static Reply reply(final long number, final Failure why) {
    return new Reply.Failed(
        why.errno(), "checkpoint %d has not left this node: %s".formatted(number, why.reason()));
  }

  /** Answers those who wait for a checkpoint, unless it is being written anew already. */
  void answer(final long number) {
    if (committed.contains(number)) {
      answer(waiter -> waiter.number == number, new Reply.Done());
    }
  }

  /** A commit failed that was decided when the checkpoint had been begun so often. */
  void ended(final Entry.Ended end, final int writing) {
    if (writing != writing(end.checkpoint())) {
      older.put(end.checkpoint(), end);
    }
  }

  /** Answers those who wait for what failed, unless it is being written anew already. */
  void failed(final Entry.Ended end, final int writing) {
    if (writing == writing(end.checkpoint())) {
      answer(waiter -> waiter.number == end.checkpoint(), reply(end.checkpoint(), end));
    }
  }

  private static Reply reply(final long number, final Entry.Ended end) {
    return new Reply.Failed(
        end.errno(), "checkpoint %d is not committed: %s".formatted(number, end.reason()));
  }

  public void expire() {
    final long now = System.nanoTime();
    answer(
        waiter -> waiter.deadline - now <= 0,
        new Reply.Failed(Errno.ETIMEDOUT, "the checkpoint is not committed yet"));
  }

  /** Returns how long the service thread may sleep, in milliseconds: from 1 up to the limit. */
  public long patience(final long limit) {
    final long now = System.nanoTime();
    return waiting.stream()
        .mapToLong(waiter -> Math.max(1, (waiter.deadline - now) / 1_000_000))
        .reduce(limit, Math::min);
  }

  private void answer(final Predicate<Waiter> which, final Reply reply) {
    for (final Iterator<Waiter> i = waiting.iterator(); i.hasNext(); ) {
      final Waiter waiter = i.next();
      if (which.test(waiter)) {
        i.remove();
        waiter.caller.answer(reply);
      }
    }
  }
}
