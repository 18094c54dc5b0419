package org.sluice.iop.shared;

import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.sluice.core.libc.PosixException;

/**
 * Lists of a directory that other nodes use. One of 100,000 files takes a third of a second, and
 * storage may hang. So each list is taken on a thread of its own, and the service thread goes on
 * meanwhile. There is one at a time, which serves all that asked before it began.
 *
 * <p>Only the service thread reads and writes the fields here. It makes a {@link Walk}, of what it
 * knows then, and starts a thread with it: the start is ordered before all that the thread does.
 * The thread changes nothing but what it makes itself. It hands that over by the service thread's
 * queue, and touches it no more: what it wrote is ordered before what the service thread reads. So
 * no lock is needed, and none can be held while storage hangs. A list that never ends holds up what
 * waits for lists, and nothing else. Its thread does not keep the process alive.
 *
 * @param <T> what a list tells
 */
public final class DirectoryLists<T> {
  /** So much longer than it took is a list good enough for who looks again. */
  static final int SHARE = 10;

  private final Supplier<Walk<T>> walks;
  private final Executor service;
  private final LongSupplier clock;
  private final Taker<T> taker;
  private final Consumer<PosixException> failed;
  private boolean walking;

  /** Ordinals of the lists that was begun last, and that was asked for last. */
  private long begun;

  private long asked;
  private long ended;
  private long took;

  /** Lists the directory; knows nothing that the service thread may change. */
  @FunctionalInterface
  public interface Walk<T> {
    T list() throws PosixException;
  }

  /** What comes of a list. */
  @FunctionalInterface
  public interface Taker<T> {
    void take(long ordinal, T list);
  }

  /**
   * No list so far.
   *
   * @param walks asked on the service thread for what a thread then does
   * @param service runs what it is given on the service thread
   * @param clock in nanoseconds
   * @param taker gets each list, on the service thread
   * @param failed told there why one came to nothing: who waits for it is to ask again
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
   * Asks for a list that begins from now on.
   *
   * @return its ordinal; a later list serves as well
   */
  public long ask() {
    asked = begun + 1;
    if (!walking) {
      begin();
    }
    return asked;
  }

  /** Whether it is too early to ask for another one: lists take a part of the time only. */
  public boolean areOfLate() {
    return walking || ended != 0 && clock.getAsLong() - ended < SHARE * took;
  }

  private void begin() {
    walking = true;
    begun++;
    final Walk<T> walk = walks.get();
    Thread.ofPlatform().daemon().name("list").start(() -> walk(walk));
  }

  /** On the thread that lists. */
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
