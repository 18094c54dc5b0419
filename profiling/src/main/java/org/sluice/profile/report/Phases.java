package org.sluice.profile.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.sluice.profile.trace.Survey;
import org.sluice.profile.trace.Write;

/**
 * The stretches of time in which any process wrote. Checkpoints are short and far apart; a picture
 * of the whole time would show nothing of them.
 */
final class Phases {
  private static final int SLICES = 1 << 14;

  /** Pauses longer than this part of the whole time separate phases, so that there are few. */
  private static final double PAUSE = 1.0 / 25;

  /** From the first write's beginning to the last one's end, in nanoseconds since the epoch. */
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
    final int slice = (int) Math.min(SLICES - 1, (double) (write.time() - from) / span * SLICES);
    begins[slice] = Math.min(begins[slice], write.time());
    ends[slice] = Math.max(ends[slice], Math.max(write.endTime(), write.time() + 1));
  }

  /** In order; at least one if there was a write. */
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
