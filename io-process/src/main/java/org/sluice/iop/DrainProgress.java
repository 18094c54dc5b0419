package org.sluice.iop;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.sluice.core.command.Progress;
import org.sluice.iop.measure.Statistics;

/** Waits for the end of a session and shows how the drain gets on, if a terminal looks. */
final class DrainProgress {
  private static final long STEP_MILLIS = 100;

  private DrainProgress() {}

  /** Waits until the session is over and shows the drain once it ends. */
  static void show(final IoProcess process) throws IOException {
    CompletableFuture.anyOf(process.ending(), process.over()).join();
    final Statistics statistics = process.statistics();
    long shown = statistics.drainedBytes();
    try (Progress progress = Progress.begin("drain", statistics.publishedBytes() - shown)) {
      while (!process.over().isDone()) {
        process.over().copy().completeOnTimeout(null, STEP_MILLIS, TimeUnit.MILLISECONDS).join();
        final long drained = statistics.drainedBytes();
        progress.add(drained - shown);
        shown = drained;
      }
    }
  }
}
