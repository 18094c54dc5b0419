package org.sluice.profile.report;

import java.util.HashMap;
import java.util.Map;
import org.sluice.profile.trace.Tally;
import org.sluice.profile.trace.TracedProcess;
import org.sluice.profile.trace.Write;

/** What was written to one file. */
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
   * Counts a write.
   *
   * @return whether it is sequential: it begins where its process's last write of the file ended,
   *     or is the first one
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

  /** The highest offset written to, plus 1. */
  long end() {
    return end;
  }

  double percentSequential() {
    return 100.0 * sequential / Math.max(tally.writes(), 1);
  }
}
