package org.sluice.profile.text;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.sluice.profile.trace.TracedProcess;

/**
 * The processes in the output of strace: the threads of each, and whether the process writes files.
 */
final class StraceProcesses {
  private static final String HOST = "node";

  private final Map<Integer, Integer> processOfThread = new HashMap<>();
  private final TreeSet<Integer> writers = new TreeSet<>();
  private final Map<Integer, TracedProcess> origins = new HashMap<>();

  void isThread(final int thread, final int ofThread) {
    processOfThread.put(thread, processOf(ofThread));
  }

  int processOf(final int thread) {
    return processOfThread.getOrDefault(thread, thread);
  }

  void wrote(final int process) {
    writers.add(process);
  }

  /** Numbers the processes that write, as ranks in the order of their pids. */
  void numberRanks() {
    int rank = 0;
    for (final int pid : writers) {
      origins.put(pid, new TracedProcess(HOST, pid, rank++));
    }
  }

  TracedProcess origin(final int process) {
    final TracedProcess origin = origins.get(process);
    return origin == null ? new TracedProcess(HOST, process, -1) : origin;
  }
}
