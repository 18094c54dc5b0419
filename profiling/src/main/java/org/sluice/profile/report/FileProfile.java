package org.sluice.profile.report;

import java.util.HashMap;
import java.util.Map;
import org.sluice.profile.trace.Tally;
import org.sluice.profile.trace.TracedProcess;
import org.sluice.profile.trace.Write;

/** The writes to one file. */
final class FileProfile {
  private final String path;
  private final Tally tally = new Tally();
  private final Map<TracedProcess, Long> next = new HashMap<>();
  private long sequential;
  private long end;

  FileProfile(final String path) {
    this.path = path;
  }

  /**
   * Counts a write, and returns whether it is sequential: the first one of its process, or
   * beginning where the last one of its process ended.
   */
  boolean add(final Write write) {
    tally.add(write);
    end = Math.max(end, write.endOffset());
    final Long expected = next.put(write.origin(), write.endOffset());
    final boolean continues = expected == null || expected == write.offset();
    sequential += continues ? 1 : 0;
    return continues;
  }

  String path() {
    return path;
  }

  Tally tally() {
    return tally;
  }

  int writers() {
    return next.size();
  }

  /** Returns the highest offset written to, plus 1. */
  long end() {
    return end;
  }

  double percentSequential() {
    return 100.0 * sequential / Math.max(tally.writes(), 1);
  }
}
