package org.sluice.profile.report;

import java.util.HashMap;
import java.util.Map;
import org.sluice.profile.trace.Origin;
import org.sluice.profile.trace.Write;

/**
 * Runs of small writes of one process in quick succession: what aggregation saves a system call
 * each.
 */
final class Bursts {
  static final long SMALL = 4096;
  static final int LEAST_WRITES = 8;
  private static final long LONGEST_PAUSE_NANOS = 1_000_000;

  private static final class Run {
    private long lastEnd = Long.MIN_VALUE;
    private long writes;
    private long bytes;
  }

  private final Map<Origin, Run> runs = new HashMap<>();
  private long count;
  private long writes;
  private long bytes;
  private long longest;

  void add(final Write write) {
    final Run run = runs.computeIfAbsent(write.origin(), origin -> new Run());
    final boolean continues =
        run.writes > 0 && Math.abs(write.time() - run.lastEnd) <= LONGEST_PAUSE_NANOS;
    if (write.size() >= SMALL || !continues) {
      end(run);
    }
    if (write.size() < SMALL) {
      run.writes++;
      run.bytes += write.size();
      run.lastEnd = write.endTime();
    }
  }

  /** To be called after the last write. */
  void end() {
    runs.values().forEach(this::end);
  }

  private void end(final Run run) {
    if (run.writes >= LEAST_WRITES) {
      count++;
      writes += run.writes;
      bytes += run.bytes;
      longest = Math.max(longest, run.writes);
    }
    run.writes = 0;
    run.bytes = 0;
  }

  long count() {
    return count;
  }

  long writes() {
    return writes;
  }

  long bytes() {
    return bytes;
  }

  /** Writes of the longest one. */
  long longest() {
    return longest;
  }
}
