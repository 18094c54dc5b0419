package org.sluice.profile.trace;

import java.util.Comparator;

/**
 * A process whose writes are in a trace.
 *
 * @param rank rank in the job, -1 unknown
 */
public record TracedProcess(String host, int pid, int rank) implements Comparable<TracedProcess> {
  private static final Comparator<TracedProcess> ORDER =
      Comparator.comparingInt(TracedProcess::rank)
          .thenComparing(TracedProcess::host)
          .thenComparingInt(TracedProcess::pid);

  @Override
  public int compareTo(final TracedProcess other) {
    return ORDER.compare(this, other);
  }

  public String label() {
    return rank < 0 ? "pid " + pid : "rank " + rank;
  }
}
