package org.sluice.profile.tune;

import java.io.PrintWriter;
import java.util.List;
import org.sluice.core.command.JsonObject;
import org.sluice.core.command.SizeConverter;
import org.sluice.profile.trace.Survey;

/**
 * The measurements and replays, and the setting that they recommend.
 *
 * @param trials plain writes and each setting; none when nothing was replayed
 * @param untried true if nothing was to be replayed
 */
record Tuning(
    Survey survey, NodeCosts costs, List<Trial> trials, Recommendation advice, boolean untried) {
  boolean isComplete() {
    return untried || rounds() == Trials.ROUNDS;
  }

  private int rounds() {
    return trials.isEmpty() ? 0 : trials.getFirst().rounds().size();
  }

  /**
   * @param replayed bytes of the writes that were replayed
   */
  void print(final long replayed, final PrintWriter out) {
    out.printf(
        "%d processes, %d writes, %s; this node has %d cores and drains %.1f GB/s%n%n",
        survey.origins().size(),
        survey.tally().writes(),
        SizeConverter.format(survey.tally().bytes()),
        costs.cores(),
        costs.drain() / 1e9);
    costs.print(out);
    if (!trials.isEmpty()) {
      out.printf(
          "%-12s %8s %14s %12s %10s%n",
          "THRESHOLD", "BUFFER", "IN WRITES, ms", "IN BUFFER", "WAITED, ms");
      trials.forEach(trial -> trial.print(out));
      out.println();
      if (survey.tally().bytes() > replayed) {
        out.printf(
            "Only the first writes of each process were replayed, %s of all.%n",
            SizeConverter.format(replayed));
      }
    }
    if (!isComplete()) {
      out.printf(
          "Interrupted: %d of %d rounds of replays are complete.%n", rounds(), Trials.ROUNDS);
    }
  }

  JsonObject members() {
    return new JsonObject()
        .with("processes", survey.origins().size())
        .with("writes", survey.tally().writes())
        .with("bytes", survey.tally().bytes())
        .with("cores", costs.cores())
        .with("drain_bytes_per_second", Math.round(costs.drain()))
        .with("costs", costs.costs().stream().map(NodeCosts.Cost::members).toList())
        .with("complete", isComplete())
        .with("replays", trials.stream().map(Trial::members).toList())
        .with(
            "recommendation",
            advice
                .setting()
                .orElse(Setting.PLAIN)
                .members()
                .with("pays", trials.isEmpty() ? null : advice.setting().isPresent())
                .with("milliseconds", advice.millis().orElse(null))
                .with("reason", advice.reason()));
  }
}
