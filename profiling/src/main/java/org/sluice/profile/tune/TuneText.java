package org.sluice.profile.tune;

import java.io.PrintWriter;
import org.sluice.core.command.SizeConverter;
import org.sluice.profile.trace.Survey;

/** What was measured and replayed, as tables. */
final class TuneText {
  private TuneText() {}

  static void printCosts(final Survey survey, final NodeCosts costs, final PrintWriter out) {
    out.printf(
        "%d processes, %d writes, %s; this node has %d cores and drains %.1f GB/s%n%n",
        survey.origins().size(),
        survey.tally().writes(),
        SizeConverter.format(survey.tally().bytes()),
        costs.cores(),
        costs.drain() / 1e9);
    out.printf("%-12s %14s %14s %8s%n", "WRITE OF", "COPY, us", "FILE, us", "RATIO");
    for (final NodeCosts.Cost cost : costs.costs()) {
      out.printf(
          "%-12s %14.3f %14.3f %8.1f%n",
          SizeConverter.format(cost.size()),
          cost.copy() / 1e3,
          cost.write() / 1e3,
          cost.write() / cost.copy());
    }
    out.println();
  }

  static void printTrial(final Trial trial, final PrintWriter out) {
    final boolean plain = trial.setting().equals(Setting.PLAIN);
    if (plain) {
      out.printf(
          "%-12s %8s %14s %12s %10s%n",
          "THRESHOLD", "BUFFER", "IN WRITES, ms", "IN BUFFER", "WAITED, ms");
    }
    out.printf(
        "%-12s %8s %14.1f %12s %10s%n",
        plain ? "plain" : trial.setting().thresholdOption(),
        plain ? "-" : trial.setting().bufferText(),
        trial.millis(),
        plain ? "-" : SizeConverter.format(trial.peak()),
        plain ? "-" : "%.1f".formatted(trial.waitedMillis()));
  }
}
