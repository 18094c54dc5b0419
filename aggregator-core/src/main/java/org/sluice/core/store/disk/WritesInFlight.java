package org.sluice.core.store.disk;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.sluice.core.fault.Fault.Step;
import org.sluice.core.posix.AsyncWrites;
import org.sluice.core.posix.IoVector;
import org.sluice.core.posix.NativeFile;

/**
 * A writer of several independent writes at a time, which waits for all. A single thread uses it at
 * a time. Its own threads run only the writes: the handover of a write and the wait for its end
 * order memory between them and the user. They take over the priority of the user, who starts them.
 */
public final class WritesInFlight implements AutoCloseable {
  private static final long IDLE_SECONDS = 60;

  private final ExecutorService threads =
      Executors.newCachedThreadPool(Thread.ofPlatform().daemon().name("write-", 1).factory());

  /** The threads for begun steps: more steps than threads wait for each other. */
  private final ThreadPoolExecutor begun =
      new ThreadPoolExecutor(
          WriteMode.MOST_IN_FLIGHT,
          WriteMode.MOST_IN_FLIGHT,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          Thread.ofPlatform().daemon().name("begun-", 1).factory());

  /** The writes without a thread; null before the first. */
  private AsyncWrites async;

  /** No thread starts before several writes come at once. */
  public WritesInFlight() {
    begun.allowCoreThreadTimeOut(true);
  }

  /**
   * Runs all writes, also after a failure, and waits for them even if interrupted: they use the
   * user's memory.
   *
   * @param writes writes that all go on at the same time
   * @return failure of each write, null for success; in their order
   */
  public List<IOException> failures(final List<Step<IOException>> writes) {
    if (writes.size() == 1) {
      return Collections.singletonList(failure(writes.getFirst()));
    }
    final List<CompletableFuture<IOException>> ends =
        writes.stream()
            .map(write -> CompletableFuture.supplyAsync(() -> failure(write), threads))
            .toList();
    final List<IOException> failures = new ArrayList<>();
    ends.forEach(end -> failures.add(end.join())); // not even an interrupt ends the wait
    return failures;
  }

  /** Begins a step that goes on beside other things, such as a sync. */
  public CompletableFuture<IOException> begin(final Step<IOException> step) {
    return CompletableFuture.supplyAsync(() -> failure(step), begun);
  }

  public static void await(final CompletableFuture<IOException> end) throws IOException {
    final IOException failure = end.join();
    if (failure != null) {
      throw failure;
    }
  }

  /**
   * Starts a write past the page cache, which goes on without a thread.
   *
   * @param file file opened past the page cache
   * @param pieces to be written; they and their memory stay as they are until the end
   */
  public AsyncWrites.Write start(final NativeFile file, final IoVector pieces, final long offset) {
    if (async == null) {
      async = new AsyncWrites(WriteMode.MOST_IN_FLIGHT);
    }
    return async.start(file, pieces, offset);
  }

  /**
   * Waits for all of several writes. Returns the failure of each, null for success, in their order.
   */
  public static List<IOException> ends(final List<AsyncWrites.Write> started) {
    final List<IOException> failures = new ArrayList<>();
    started.forEach(write -> failures.add(failure(write::await)));
    return failures;
  }

  private static IOException failure(final Step<IOException> write) {
    try {
      write.run();
      return null;
    } catch (final IOException e) {
      return e;
    }
  }

  @Override
  public void close() {
    threads.shutdown();
    begun.shutdown();
    if (async != null) {
      async.close();
    }
  }
}
