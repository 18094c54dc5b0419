package org.sluice.profile.report;

import java.util.HashMap;
import java.util.Map;
import org.sluice.profile.trace.Tally;
import org.sluice.profile.trace.TracedProcess;
import org.sluice.profile.trace.Write;

/**
 * The runs of small writes of one process in quick succession. Aggregation saves a system call for
 * each such write.
 */
final class Bursts {
  static final long SMALL = 4096;
  static final int LEAST_WRITES = 8;
  private static final long LONGEST_PAUSE_NANOS = 1_000_000;

  private static final class Run {
    private long lastEnd = Long.MIN_VALUE;
    private Tally tally = new Tally();
  }

  private final Map<TracedProcess, Run> runs = new HashMap<>();
  private final Tally tally = new Tally();
  private long count;
  private long longest;

  void add(final Write write) {
    final Run run = runs.computeIfAbsent(write.origin(), origin -> new Run());
    final boolean continues =
        run.tally.writes() > 0
            && Math.abs(write.time().begin() - run.lastEnd) <= LONGEST_PAUSE_NANOS;
    if (write.size() >= SMALL || !continues) {
      end(run);
    }
    if (write.size() < SMALL) {
      run.tally.add(write);
      run.lastEnd = write.time().end();
    }
  }

  /** Ends all runs, after the last write. */
  void end() {
    runs.values().forEach(this::end);
  }

  private void end(final Run run) {
    if (run.tally.writes() >= LEAST_WRITES) {
      count++;
      tally.add(run.tally);
      longest = Math.max(longest, run.tally.writes());
    }
    run.tally = new Tally();
  }

  long count() {
    return count;
  }

  Tally tally() {
    return tally;
  }

  /** Returns the number of writes of the longest run. */
  long longest() {
    return longest;
  }
}
