package org.sluice.iop.shared;

import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.sluice.core.libc.PosixException;

/**
 * The lists of a directory that other nodes use. A list of 100,000 files takes a third of a second,
 * and storage may hang. So each list is taken on a thread of its own, and the service thread goes
 * on meanwhile. There is one list at a time. Each list serves all requests made before it began.
 *
 * <p>Only the service thread reads and writes the fields here. The service thread makes a {@link
 * Walk} and starts a thread with it: the start is ordered before all that the new thread does. The
 * new thread changes nothing but its own list. The list is handed over by the service thread's
 * queue, which orders all writes of the new thread before the service thread's reads. So no lock is
 * needed, and none can be held while storage hangs. A list that never ends delays only its waiters.
 * Its thread does not keep the process alive.
 */
public final class DirectoryLists<T> {
  /**
   * The lifetime of a list, as a multiple of the time that it took. A list so old is still good
   * enough for a second look.
   */
  static final int SHARE = 10;

  private final Supplier<Walk<T>> walks;
  private final Executor service;
  private final LongSupplier clock;
  private final Taker<T> taker;
  private final Consumer<PosixException> failed;
  private boolean walking;

  /** The ordinals of the list begun last and of the list asked for last. */
  private long begun;

  private long asked;
  private long ended;
  private long took;

  /** A walk through the directory. A walk uses nothing that the service thread may change. */
  @FunctionalInterface
  public interface Walk<T> {
    T list() throws PosixException;
  }

  /** A receiver of lists. */
  @FunctionalInterface
  public interface Taker<T> {
    void take(long ordinal, T list);
  }

  /**
   * @param walks source of walks, asked on the service thread; a thread of its own runs each
   * @param clock clock in nanoseconds
   * @param taker receiver of each list, on the service thread
   * @param failed receiver of errors, on the service thread; waiters have to ask again
   */
  public DirectoryLists(
      final Supplier<Walk<T>> walks,
      final Executor service,
      final LongSupplier clock,
      final Taker<T> taker,
      final Consumer<PosixException> failed) {
    this.walks = walks;
    this.service = service;
    this.clock = clock;
    this.taker = taker;
    this.failed = failed;
  }

  /**
   * Asks for a list that begins from now on, and returns its ordinal; a later list serves as well.
   */
  public long ask() {
    asked = begun + 1;
    if (!walking) {
      begin();
    }
    return asked;
  }

  /**
   * Returns whether it is too early to ask for another list. Lists take only a part of the time.
   */
  public boolean areOfLate() {
    return walking || ended != 0 && clock.getAsLong() - ended < SHARE * took;
  }

  private void begin() {
    walking = true;
    begun++;
    final Walk<T> walk = walks.get();
    Thread.ofPlatform().daemon().name("list").start(() -> walk(walk));
  }

  /** Takes a list, on a thread of its own. */
  private void walk(final Walk<T> walk) {
    final long began = clock.getAsLong();
    Runnable answer;
    try {
      final T list = walk.list();
      answer = () -> taker.take(begun, list);
    } catch (final PosixException e) {
      answer = () -> failed.accept(e);
    }
    final Runnable told = answer;
    final long end = clock.getAsLong();
    service.execute(() -> end(began, end, told));
  }

  private void end(final long began, final long end, final Runnable answer) {
    walking = false;
    ended = end;
    took = end - began;
    answer.run();
    if (!walking && asked > begun) {
      begin();
    }
  }
}
