package org.sluice.profile.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.sluice.profile.trace.Survey;
import org.sluice.profile.trace.Write;

/**
 * The stretches of time in which any process wrote. Checkpoints are short and far apart, so a
 * picture of the whole time would not show them.
 */
final class Phases {
  private static final int SLICES = 1 << 14;

  /**
   * The part of the whole time that a pause between phases is longer than. So there are few phases.
   */
  private static final double PAUSE = 1.0 / 25;

  /**
   * A phase, from the begin of the first write to the end of the last one, in nanoseconds since the
   * epoch.
   */
  record Phase(long from, long to) {
    long length() {
      return to - from;
    }
  }

  private final long from;
  private final long span;
  private final long[] begins = new long[SLICES];
  private final long[] ends = new long[SLICES];

  Phases(final Survey survey) {
    from = survey.from();
    span = survey.to() - survey.from();
    Arrays.fill(begins, Long.MAX_VALUE);
  }

  void add(final Write write) {
    final int slice =
        (int) Math.min(SLICES - 1, (double) (write.time().begin() - from) / span * SLICES);
    begins[slice] = Math.min(begins[slice], write.time().begin());
    ends[slice] = Math.max(ends[slice], Math.max(write.time().end(), write.time().begin() + 1));
  }

  /** Returns the phases in order; at least one if there was a write. */
  List<Phase> list() {
    final List<Phase> phases = new ArrayList<>();
    for (int i = 0; i < SLICES; i++) {
      if (begins[i] == Long.MAX_VALUE) {
        continue;
      }
      final Phase last = phases.isEmpty() ? null : phases.getLast();
      if (last != null && begins[i] - last.to() <= PAUSE * span) {
        phases.set(phases.size() - 1, new Phase(last.from(), Math.max(last.to(), ends[i])));
      } else {
        phases.add(new Phase(begins[i], ends[i]));
      }
    }
    return phases;
  }
}
