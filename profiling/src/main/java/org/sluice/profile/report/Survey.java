package org.sluice.profile.report;

import java.io.IOException;
import java.util.SortedSet;
import java.util.TreeSet;
import org.sluice.profile.trace.Origin;
import org.sluice.profile.trace.Trace;
import org.sluice.profile.trace.Write;

/** The first look at a trace: who wrote, from when to when, how far. */
final class Survey {
  private final SortedSet<Origin> origins = new TreeSet<>();
  private long from = Long.MAX_VALUE;
  private long to = Long.MIN_VALUE;
  private long farthest;

  private Survey() {}

  static Survey of(final Trace trace) throws IOException {
    final Survey survey = new Survey();
    trace.read(survey::add);
    return survey;
  }

  private void add(final Write write) {
    origins.add(write.origin());
    from = Math.min(from, write.time());
    to = Math.max(to, write.endTime());
    farthest = Math.max(farthest, write.endOffset());
  }

  boolean isEmpty() {
    return origins.isEmpty();
  }

  SortedSet<Origin> origins() {
    return origins;
  }

  long from() {
    return from;
  }

  /** At least one nanosecond after the beginning. */
  long to() {
    return Math.max(to, from + 1);
  }

  /** The highest offset that was written to in any file, plus 1. */
  long farthest() {
    return farthest;
  }
}
