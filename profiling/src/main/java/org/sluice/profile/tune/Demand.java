package org.sluice.profile.tune;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.sluice.profile.trace.Trace;
import org.sluice.profile.trace.TracedProcess;
import org.sluice.profile.trace.Write;

/**
 * The bytes that a buffer has to hold so that no write waits. For each process these are the most
 * bytes that it writes below a threshold without a pause; their sum is the demand.
 */
final class Demand {
  /** The shortest pause between checkpoints; shorter pauses are the program's own loop. */
  private static final long PAUSE_NANOS = 20_000_000;

  private final List<Long> thresholds;
  private final Map<TracedProcess, Run> runs = new HashMap<>();

  /** The bytes below each threshold since the last pause, and the most between two pauses. */
  private static final class Run {
    private final long[] bytes;
    private final long[] most;
    private long lastEnd = Long.MAX_VALUE;

    private Run(final int thresholds) {
      bytes = new long[thresholds];
      most = new long[thresholds];
    }
  }

  private Demand(final List<Long> thresholds) {
    this.thresholds = thresholds;
  }

  static Demand of(final Trace trace, final List<Long> thresholds) throws IOException {
    final Demand demand = new Demand(thresholds);
    trace.read(demand::add);
    return demand;
  }

  private void add(final Write write) {
    final Run run = runs.computeIfAbsent(write.origin(), origin -> new Run(thresholds.size()));
    final boolean paused =
        write.time().begin() - run.lastEnd >= PAUSE_NANOS && write.time().begin() > run.lastEnd;
    for (int i = 0; i < thresholds.size(); i++) {
      run.bytes[i] = paused ? 0 : run.bytes[i];
      run.bytes[i] += write.size() < thresholds.get(i) ? write.size() : 0;
      run.most[i] = Math.max(run.most[i], run.bytes[i]);
    }
    run.lastEnd = write.time().end();
  }

  /** Returns the demand in bytes, with the threshold at that place of the list. */
  long bytes(final int threshold) {
    return runs.values().stream().mapToLong(run -> run.most[threshold]).sum();
  }
}
