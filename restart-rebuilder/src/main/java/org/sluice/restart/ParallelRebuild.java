package org.sluice.restart;

import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.Rebuilder;
import org.sluice.core.store.node.CheckpointReader;

/**
 * A rebuild of several images at a time. Each thread has a rebuilder of its own and takes the next
 * image when it is done with one. The threads share only the index of the next image and the
 * failure.
 *
 * <p>The failure of the first failed image in order is thrown, however the threads run. Images are
 * taken in order: when one fails, all before it have been taken, and each thread ends its own
 * image. Later images are not begun.
 */
final class ParallelRebuild<T> {
  /**
   * The number of threads: more than cores, so that some read while others write. Each holds a
   * chunk of memory.
   */
  private static final int THREADS = 8;

  /** The number of threads that do not keep a disk busy unless the kernel reads ahead. */
  private static final int FEW = 2;

  @FunctionalInterface
  interface Step<T> {
    void run(Rebuilder rebuilder, T image) throws IOException;
  }

  private final CheckpointReader store;
  private final Commit commit;
  private final List<T> images;
  private final Step<T> step;
  private final AtomicInteger next = new AtomicInteger();

  /** The failure of the first failed image, whose index follows; guarded by this. */
  private IOException failure;

  private int failed;

  ParallelRebuild(
      final CheckpointReader store, final Commit commit, final List<T> images, final Step<T> step) {
    this.store = store;
    this.commit = commit;
    this.images = images;
    this.step = step;
    this.failed = images.size();
  }

  void run() throws IOException {
    final int threads = threads();
    try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
      final Callable<Void> rest = this::rebuildRest;
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
      throw new IOException("the restore was interrupted", e);
    }
    throwFailure();
  }

  private int threads() {
    return Math.clamp(images.size(), 1, THREADS);
  }

  private Void rebuildRest() throws IOException {
    try (Rebuilder rebuilder = store.rebuilder(commit, threads() > FEW)) {
      int image = next.getAndIncrement();
      while (isWanted(image)) {
        try {
          step.run(rebuilder, images.get(image));
        } catch (final IOException e) {
          fail(image, e);
        }
        image = next.getAndIncrement();
      }
    }
    return null;
  }

  private synchronized boolean isWanted(final int image) {
    return image < failed;
  }

  private synchronized void fail(final int image, final IOException why) {
    if (image < failed) {
      failed = image;
      failure = why;
    }
  }

  private synchronized void throwFailure() throws IOException {
    if (failure != null) {
      throw failure;
    }
  }
}
