package org.sluice.profile.tune;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.sluice.profile.trace.Origin;
import org.sluice.profile.trace.Trace;
import org.sluice.profile.trace.Write;

/** The sizes of each process's writes in order, and its long pauses: all the model needs. */
final class Pattern {
  /** What a process computes between checkpoints; shorter pauses are its own loop. */
  private static final long PAUSE_NANOS = 20_000_000;

  private static final int MOST_WRITES = 4_000_000;

  /** The writes of a process, each with the pause before it. */
  static final class Process {
    private long[] sizes = new long[256];
    private long[] pauses = new long[256];
    private int count;
    private long lastEnd = Long.MIN_VALUE;

    private void add(final Write write) {
      if (count == sizes.length) {
        sizes = Arrays.copyOf(sizes, 2 * count);
        pauses = Arrays.copyOf(pauses, 2 * count);
      }
      final long pause = lastEnd == Long.MIN_VALUE ? 0 : write.time() - lastEnd;
      sizes[count] = write.size();
      pauses[count++] = pause >= PAUSE_NANOS ? pause : 0;
      lastEnd = write.endTime();
    }

    int count() {
      return count;
    }

    long size(final int index) {
      return sizes[index];
    }

    long pause(final int index) {
      return pauses[index];
    }
  }

  private final SortedMap<Origin, Process> processes = new TreeMap<>();
  private long writes;
  private long bytes;
  private boolean cut;

  private Pattern() {}

  static Pattern of(final Trace trace) throws IOException {
    final Pattern pattern = new Pattern();
    trace.read(pattern::add);
    return pattern;
  }

  private void add(final Write write) {
    if (writes == MOST_WRITES) {
      cut = true;
      return;
    }
    writes++;
    bytes += write.size();
    processes.computeIfAbsent(write.origin(), origin -> new Process()).add(write);
  }

  List<Process> processes() {
    return new ArrayList<>(processes.values());
  }

  long writes() {
    return writes;
  }

  long bytes() {
    return bytes;
  }

  /** Whether only the first writes of the trace are in it. */
  boolean isCut() {
    return cut;
  }
}
