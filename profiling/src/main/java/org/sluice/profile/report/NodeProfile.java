package org.sluice.profile.report;

import java.util.HashSet;
import java.util.Set;
import org.sluice.profile.trace.Origin;
import org.sluice.profile.trace.Write;

/** What the processes of one node wrote. */
final class NodeProfile {
  private final Tally tally = new Tally();
  private final Set<Origin> origins = new HashSet<>();
  private long from = Long.MAX_VALUE;
  private long to = Long.MIN_VALUE;

  void add(final Write write) {
    tally.add(write);
    origins.add(write.origin());
    from = Math.min(from, write.time());
    to = Math.max(to, write.endTime());
  }

  Tally tally() {
    return tally;
  }

  int processes() {
    return origins.size();
  }

  /** From the first write to the end of the last. */
  double spanSeconds() {
    return (to - from) / 1e9;
  }
}
