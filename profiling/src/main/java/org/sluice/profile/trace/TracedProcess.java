package org.sluice.profile.trace;

import java.util.Comparator;

/**
 * A process that wrote.
 *
 * @param host the name of its node
 * @param pid its number there
 * @param rank its rank in the job, -1 unknown
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

  /**
   * What a person calls it.
   *
   * @return its rank, or its pid where the rank is unknown
   */
  public String label() {
    return rank < 0 ? "pid " + pid : "rank " + rank;
  }
}
