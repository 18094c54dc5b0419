package org.sluice.profile.replay;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.sluice.profile.trace.Origin;
import org.sluice.profile.trace.Trace;

/**
 * How much there is to replay.
 *
 * @param processes that wrote
 * @param writes of all of them
 * @param bytes of all of them
 * @param slowestNanos how long the slowest was in its writes when the trace was made
 */
record Amount(int processes, long writes, long bytes, long slowestNanos) {
  static Amount of(final Trace trace) throws IOException {
    final Map<Origin, Long> nanos = new HashMap<>();
    final long[] sums = new long[2];
    trace.read(
        write -> {
          nanos.merge(write.origin(), write.duration(), Long::sum);
          sums[0]++;
          sums[1] += write.size();
        });
    return new Amount(
        nanos.size(),
        sums[0],
        sums[1],
        nanos.values().stream().mapToLong(Long::longValue).max().orElse(0));
  }
}
