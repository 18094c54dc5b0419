package org.sluice.iop;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.sluice.core.command.Progress;
import org.sluice.iop.measure.Statistics;

/** Waits for the end of a session and shows how the drain gets on, if a terminal looks. */
final class DrainProgress {
  private static final long STEP_MILLIS = 100;

  private DrainProgress() {}

  /** Waits until the session is over and shows the drain once it ends. */
  static void show(final IoProcess process) throws IOException {
    await(CompletableFuture.anyOf(process.ending(), process.over()));
    final Statistics statistics = process.statistics();
    long shown = statistics.drainedBytes();
    try (Progress progress = Progress.begin("drain", statistics.publishedBytes() - shown)) {
      while (!await(process.over(), STEP_MILLIS)) {
        final long drained = statistics.drainedBytes();
        progress.add(drained - shown);
        shown = drained;
      }
    }
  }

  private static void await(final CompletableFuture<?> end) throws IOException {
    await(end, Long.MAX_VALUE);
  }

  /** Waits for the end; false when it has not come within {@code limit} milliseconds. */
  private static boolean await(final CompletableFuture<?> end, final long limit)
      throws IOException {
    try {
      end.get(limit, TimeUnit.MILLISECONDS);
      return true;
    } catch (final TimeoutException notYet) {
      return false;
    } catch (final ExecutionException | InterruptedException neverHappens) {
      throw new IllegalStateException(neverHappens);
    }
  }
}
