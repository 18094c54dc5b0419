package org.sluice.profile.tune;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.sluice.profile.trace.Origin;
import org.sluice.profile.trace.Trace;
import org.sluice.profile.trace.Write;

/** The sizes of each process's writes in order, and its long pauses: all the model needs. */
final class Pattern {
  /** What a process computes between checkpoints; shorter pauses are its own loop. */
  private static final long PAUSE_NANOS = 20_000_000;

  static final int MOST_WRITES = 4_000_000;

  /** The first writes of a process, each with the pause before it. */
  static final class Process {
    private final Map<Integer, Long> pauses = new HashMap<>();
    private long[] sizes = new long[256];
    private int count;
    private long lastEnd = Long.MIN_VALUE;

    private void add(final Write write) {
      if (count == sizes.length) {
        sizes = Arrays.copyOf(sizes, 2 * count);
      }
      if (lastEnd != Long.MIN_VALUE && write.time() - lastEnd >= PAUSE_NANOS) {
        pauses.put(count, write.time() - lastEnd);
      }
      sizes[count++] = write.size();
      lastEnd = write.endTime();
    }

    private void truncate(final int most) {
      count = Math.min(count, most);
    }

    private long bytes() {
      return Arrays.stream(sizes, 0, count).sum();
    }

    int count() {
      return count;
    }

    long size(final int index) {
      return sizes[index];
    }

    long pause(final int index) {
      return pauses.getOrDefault(index, 0L);
    }
  }

  private final SortedMap<Origin, Process> processes = new TreeMap<>();
  private int mostOfEach = MOST_WRITES;
  private long writes;
  private boolean cut;

  private Pattern() {}

  static Pattern of(final Trace trace) throws IOException {
    final Pattern pattern = new Pattern();
    trace.read(pattern::add);
    return pattern;
  }

  private void add(final Write write) {
    final Process process = processes.computeIfAbsent(write.origin(), origin -> new Process());
    if (process.count() == mostOfEach) {
      cut = true;
      return;
    }
    process.add(write);
    writes++;
    if (writes > MOST_WRITES) {
      cut();
    }
  }

  /** A trace may come process by process: each keeps its beginning, and as much as the others. */
  private void cut() {
    cut = true;
    mostOfEach = MOST_WRITES / processes.size();
    processes.values().forEach(process -> process.truncate(mostOfEach));
    writes = processes.values().stream().mapToLong(Process::count).sum();
  }

  List<Process> processes() {
    return new ArrayList<>(processes.values());
  }

  long writes() {
    return writes;
  }

  long bytes() {
    return processes.values().stream().mapToLong(Process::bytes).sum();
  }

  /** Whether only the first writes of each process are in it. */
  boolean isCut() {
    return cut;
  }
}
