package org.sluice.core.process;

import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The reading of several items at a time. Each thread has a reader of its own and takes the next
 * item when it is done with one. The threads share only the index of the next item and the failure.
 *
 * <p>The failure of the first failed item in order is thrown, however the threads run. Items are
 * taken in order: when one fails, all before it have been taken, and each thread ends its own item.
 * Later items are not begun.
 */
public final class ParallelReading<R extends ParallelReading.Reader, T> {
  /**
   * The most threads: more than cores, so that some read while others use what they have read. Each
   * holds a chunk of memory.
   */
  public static final int MOST = 8;

  /** The number of threads that do not keep a disk busy unless the kernel reads ahead. */
  private static final int FEW = 2;

  private final Readers<R> readers;
  private final List<T> items;
  private final Step<R, T> step;
  private final int threads;
  private final AtomicInteger next = new AtomicInteger();

  /** The failure of the first failed item, whose index follows; guarded by this. */
  private IOException failure;

  private int failed;

  /** The memory and the open files of a thread. */
  public interface Reader extends AutoCloseable {
    @Override
    void close() throws IOException;
  }

  @FunctionalInterface
  public interface Readers<R> {
    /**
     * @param oneOfSeveral whether so many others read that together they keep a disk busy
     */
    R open(boolean oneOfSeveral) throws IOException;
  }

  @FunctionalInterface
  public interface Step<R, T> {
    void run(R reader, T item) throws IOException;
  }

  /**
   * @param threads the most threads, of which there is none without an item; one is the caller
   */
  public ParallelReading(
      final Readers<R> readers, final List<T> items, final int threads, final Step<R, T> step) {
    this.readers = readers;
    this.items = items;
    this.step = step;
    this.threads = Math.clamp(threads, 1, Math.max(1, items.size()));
    this.failed = items.size();
  }

  public void run() throws IOException {
    if (threads == 1) {
      readRest();
    } else {
      runThreads();
    }
    throwFailure();
  }

  private void runThreads() throws IOException {
    try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
      final Callable<Void> rest = this::readRest;
      for (final Future<Void> each : executor.invokeAll(Collections.nCopies(threads, rest))) {
        each.get();
      }
    } catch (final ExecutionException e) {
      if (e.getCause() instanceof final IOException cause) {
        throw cause;
      }
      throw new IllegalStateException(e.getCause());
    } catch (final InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("the reading was interrupted", e);
    }
  }

  private Void readRest() throws IOException {
    try (R reader = readers.open(threads > FEW)) {
      int item = next.getAndIncrement();
      while (isWanted(item)) {
        try {
          step.run(reader, items.get(item));
        } catch (final IOException e) {
          fail(item, e);
        }
        item = next.getAndIncrement();
      }
    }
    return null;
  }

  private synchronized boolean isWanted(final int item) {
    return item < failed;
  }

  private synchronized void fail(final int item, final IOException why) {
    if (item < failed) {
      failed = item;
      failure = why;
    }
  }

  private synchronized void throwFailure() throws IOException {
    if (failure != null) {
      throw failure;
    }
  }
}
