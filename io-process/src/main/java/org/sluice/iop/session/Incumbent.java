package org.sluice.iop.session;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Map;
import org.sluice.core.store.directory.JobClaim;
import org.sluice.core.store.objects.Silence;
import org.sluice.core.store.series.LogEntry;
import org.sluice.core.store.series.SeriesRun;
import org.sluice.iop.measure.Warnings;

/**
 * The run that began last in a series, as a run finds it that is to begin. A later launch of the
 * same job shows that the earlier one is over. Any other run must not be fenced while it lives. On
 * this node its lock refuses the new run. For other nodes the times of its claims decide: a live
 * job renews them every few seconds. Clocks may be apart, so only a change of a time counts.
 *
 * @param data folder with the stores of the series' runs
 * @param rest time without a renewed claim after which the earlier run counts as dead
 */
record Incumbent(String store, Path data, String run, Duration rest)
    implements SeriesRun.Admission {
  /** The time that a busy node, or the start after a killed I/O process, may be late by. */
  private static final Duration REST = Duration.ofSeconds(20);

  private static final Duration AGAIN = Duration.ofMillis(500);

  Incumbent(final String store, final Path data, final String run) {
    this(store, data, run, REST);
  }

  /**
   * {@inheritDoc}
   *
   * <p>A run whose nodes have all left or died is no obstacle.
   */
  @Override
  public void follow(final LogEntry.Begin before) throws IOException {
    if (RunName.isLaterLaunch(before.run(), run)) {
      return;
    }
    Map<Path, FileTime> claims = JobClaim.ofRun(data, before.run());
    if (claims.isEmpty()) {
      return;
    }
    final String who = "run %s, which node %s began,".formatted(before.run(), before.node());
    final long began = System.nanoTime();
    while (System.nanoTime() - began < rest.toNanos()) {
      Silence.tell(who);
      pause();
      final Map<Path, FileTime> now = JobClaim.ofRun(data, before.run());
      if (now.isEmpty()) {
        return;
      }
      if (!claims.entrySet().containsAll(now.entrySet())) {
        throw OneJob.busy(store, who + " is at work");
      }
      claims = now;
    }
    Warnings.warn(
        "%s did not end, and has stood still for %d s: this one takes its place"
            .formatted(who, rest.toSeconds()));
  }

  private static void pause() throws IOException {
    try {
      Thread.sleep(AGAIN);
    } catch (final InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while it waited for another job");
    }
  }
}
