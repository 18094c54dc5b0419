package org.sluice.core.command;

import java.time.Duration;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.sluice.core.process.Terminal;

/**
 * How far long work is, how fast, and how long it will take: a bar on standard error when that is a
 * terminal and there is something to do, nothing otherwise. Thread-safe.
 */
public final class Progress implements AutoCloseable {
  private static final long MEBIBYTE = 1 << 20;

  private final ProgressBar bar;

  private Progress(final ProgressBar bar) {
    this.bar = bar;
  }

  /**
   * Begins to show the progress of a task.
   *
   * @param task what is done, such as {@code restore}
   * @param bytes how much there is to do
   * @return to be closed at the end
   */
  public static Progress begin(final String task, final long bytes) {
    return begin(task, bytes, " MiB", MEBIBYTE);
  }

  /**
   * Begins what is not counted in bytes.
   *
   * @param task what is done
   * @param steps how many steps there are to do
   * @return to be closed at the end
   */
  public static Progress beginSteps(final String task, final long steps) {
    return begin(task, steps, "", 1);
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

  /**
   * Shows that more of the task is done.
   *
   * @param done bytes or steps since the last call
   */
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
