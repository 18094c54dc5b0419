package org.sluice.core.command;

import java.time.Duration;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.sluice.core.process.Terminal;

/**
 * The progress of long work: its part done, its speed and its remaining time. A bar on standard
 * error shows it when that is a terminal and there is something to do. Thread-safe.
 */
public final class Progress implements AutoCloseable {
  private static final long MEBIBYTE = 1 << 20;

  /** The bar; null where none is shown. */
  private ProgressBar bar;

  private Progress(final ProgressBar bar) {
    this.bar = bar;
  }

  public static Progress begin(final String task, final long bytes) {
    return begin(task, bytes, " MiB", MEBIBYTE);
  }

  /** Begins to show the progress of a task that is not counted in bytes. */
  public static Progress beginSteps(final String task, final long steps) {
    return begin(task, steps, "", 1);
  }

  /** Returns the progress of a task whose steps {@link #left} counts, once it begins. */
  public static Progress later() {
    return new Progress(null);
  }

  private static Progress begin(
      final String task, final long most, final String unit, final long unitSize) {
    if (most <= 0 || !Terminal.watchesErrors()) {
      return new Progress(null);
    }
    return new Progress(
        new ProgressBarBuilder()
            .setTaskName(task)
            .setInitialMax(most)
            .setUnit(unit, unitSize)
            .showSpeed()
            .setStyle(ProgressBarStyle.ASCII)
            .setUpdateIntervalMillis((int) Duration.ofMillis(200).toMillis())
            .setConsumer(new ConsoleProgressBarConsumer(System.err, Terminal.columns() - 1))
            .build());
  }

  /** Shows that steps of a task that is not counted in bytes are left; the first call begins it. */
  public synchronized void left(final String task, final long steps) {
    if (bar == null) {
      bar = beginSteps(task, steps).bar;
    } else {
      add(1);
    }
  }

  /** Shows that more of the task is done: bytes or steps since the last call. */
  public void add(final long done) {
    if (bar != null) {
      bar.stepBy(done);
    }
  }

  @Override
  public void close() {
    if (bar != null) {
      bar.close();
    }
  }
}
