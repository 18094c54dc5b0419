package org.sluice.profile.tune;

import java.io.PrintWriter;
import java.util.List;
import org.sluice.core.command.JsonObject;
import org.sluice.core.command.SizeConverter;
import org.sluice.profile.replay.ReplayResult;

/**
 * A setting, and the results of its replays.
 *
 * @param rounds at least one result
 */
record Trial(Setting setting, List<ReplayResult> rounds) {
  /** Returns the time that the slowest process spent in its calls: the median of the rounds. */
  double millis() {
    final long[] calls =
        rounds.stream().mapToLong(round -> round.costs().calls()).sorted().toArray();
    return calls[calls.length / 2] / 1e6;
  }

  /** Returns the most bytes in the buffer at a time. */
  private long peak() {
    return rounds.stream().mapToLong(round -> round.buffer().peak()).max().orElse(0);
  }

  /** Returns the time that processes waited for room, summed: the most of any round. */
  private double waitedMillis() {
    return 1e3
        * rounds.stream().mapToDouble(round -> round.buffer().waitedSeconds()).max().orElse(0);
  }

  void print(final PrintWriter out) {
    final boolean plain = setting.equals(Setting.PLAIN);
    out.printf(
        "%-12s %8s %14.1f %12s %10s%n",
        plain ? "plain" : setting.thresholdOption(),
        plain ? "-" : setting.bufferText(),
        millis(),
        plain ? "-" : SizeConverter.format(peak()),
        plain ? "-" : "%.1f".formatted(waitedMillis()));
  }

  JsonObject members() {
    return setting
        .members()
        .with("milliseconds", millis())
        .with("memory", peak())
        .with("waited_milliseconds", waitedMillis());
  }
}
