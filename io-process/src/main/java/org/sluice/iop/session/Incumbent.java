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
 * The run that began last in a series, as another one finds it that is to begin. An earlier launch
 * of the same job is over by that one's word. Any other run must not be fenced while it lives. On
 * this node its lock would be in the way. Of other nodes the times of its claims tell: who lives
 * renews them every few seconds. Clocks may be apart, so only whether a time changes counts.
 *
 * @param store as the user names it
 * @param data the folder that the stores of the series' runs are in
 * @param run what this launch is called
 */
record Incumbent(String store, Path data, String run) implements SeriesRun.Admission {
  /** A busy node, and the start of a killed I/O process, may be late by as much. */
  private static final Duration REST = Duration.ofSeconds(20);

  private static final Duration AGAIN = Duration.ofMillis(500);

  /** {@inheritDoc} A run all of whose nodes have left, or are dead, is no obstacle. */
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
    while (System.nanoTime() - began < REST.toNanos()) {
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
            .formatted(who, REST.toSeconds()));
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
