package org.sluice.iop;

import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.sluice.core.command.Progress;
import org.sluice.iop.measure.Statistics;

/** Waits for the end of a session and shows how the drain gets on, if a terminal looks. */
final class DrainProgress {
  private static final long STEP_MILLIS = 100;

  private DrainProgress() {}

  /** Waits until the session is over, whoever ends it. */
  static void await(final IoProcess process) throws IOException {
    await(process, () -> {});
  }

  /** Waits until the session is over and shows the drain from now on. */
  static void show(final IoProcess process) throws IOException {
    final Statistics statistics = process.statistics();
    final long start = statistics.drainedBytes();
    try (Progress progress = Progress.begin("drain", statistics.publishedBytes() - start)) {
      final long[] shown = {start};
      await(
          process,
          () -> {
            final long drained = statistics.drainedBytes();
            progress.add(drained - shown[0]);
            shown[0] = drained;
          });
    }
  }

  private static void await(final IoProcess process, final Runnable step) throws IOException {
    while (true) {
      try {
        process.over().get(STEP_MILLIS, TimeUnit.MILLISECONDS);
        step.run();
        return;
      } catch (final TimeoutException notYet) {
        step.run();
      } catch (final ExecutionException e) {
        throw new IOException("the I/O process failed: " + e.getCause(), e.getCause());
      } catch (final InterruptedException e) {
        throw new IOException(e);
      }
    }
  }
}
