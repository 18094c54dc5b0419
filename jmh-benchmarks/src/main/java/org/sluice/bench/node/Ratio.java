package org.sluice.bench.node;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.sluice.profile.workload.Workload;

/**
 * A figure that says how good Sluice is: the median, over the rounds, of what two targets took in
 * the same round.
 *
 * @param name what is divided by what
 * @param goal the value wanted, with its direction
 * @param summary of the rounds
 */
record Ratio(String name, String goal, Summary summary) {
  private static final int LONG_GAP = 1000;
  private static final double GIGA = 1e9;

  /** All that can be formed from a workload's series with one gap. */
  static List<Ratio> of(final Results results, final Workload workload, final int gapMillis) {
    final Function<Target, Optional<Series>> series =
        target -> results.of(workload, target, gapMillis);
    final Pairs pairs = new Pairs(series);
    final String freshGoal = gapMillis >= LONG_GAP ? ">= 14" : ">= 4.5";
    pairs.returns("fresh / container", freshGoal, Target.POSIX_FRESH, Target.CONTAINER_AUTO);
    pairs.returns("overwrite / container", ">= 2.2", Target.POSIX_OVERWRITE, Target.CONTAINER_AUTO);
    pairs.returns("container / memcpy", "<= 1.15", Target.CONTAINER_AUTO, Target.MEMCPY_FLOOR);
    pairs.durables("fresh+fsync / container", ">= 2.5", Target.POSIX_FRESH, Target.CONTAINER_AUTO);
    pairs.durables(
        "overwrite+fsync / container", ">= 1.5", Target.POSIX_OVERWRITE, Target.CONTAINER_AUTO);
    pairs.durables("container / O_DIRECT", "<= 1.3", Target.CONTAINER_AUTO, Target.ODIRECT_FLOOR);
    pairs.returns("fresh / files", freshGoal, Target.POSIX_FRESH, Target.FILES_AUTO);
    pairs.durables("fresh+fsync / files", ">= 1.3", Target.POSIX_FRESH, Target.FILES_AUTO);
    for (final Target target : List.of(Target.CONTAINER_AUTO, Target.FILES_AUTO)) {
      pairs.perGigabyte(target, results.checkpointLength(workload) / GIGA);
    }
    return pairs.ratios;
  }

  private record Pairs(Function<Target, Optional<Series>> series, List<Ratio> ratios) {
    Pairs(final Function<Target, Optional<Series>> series) {
      this(series, new ArrayList<>());
    }

    void returns(final String name, final String goal, final Target above, final Target below) {
      add("return: " + name, goal, above, below, Series::returns);
    }

    void durables(final String name, final String goal, final Target above, final Target below) {
      add("durable: " + name, goal, above, below, Series::durables);
    }

    private void add(
        final String name,
        final String goal,
        final Target above,
        final Target below,
        final Function<Series, List<Double>> values) {
      if (series.apply(above).isPresent() && series.apply(below).isPresent()) {
        final List<Double> over = values.apply(series.apply(above).get());
        final List<Double> under = values.apply(series.apply(below).get());
        final List<Double> quotients = new ArrayList<>();
        for (int i = 0; i < Math.min(over.size(), under.size()); i++) {
          quotients.add(over.get(i) / under.get(i));
        }
        if (!quotients.isEmpty()) {
          ratios.add(new Ratio(name, goal, Summary.of(quotients)));
        }
      }
    }

    void perGigabyte(final Target target, final double gigabytes) {
      series
          .apply(target)
          .ifPresent(
              found ->
                  ratios.add(
                      new Ratio(
                          "I/O process core-seconds / GB, " + target.layout(),
                          "<= 0.15",
                          Summary.of(
                              found.iopCpu().stream().map(cpu -> cpu / gigabytes).toList()))));
    }
  }
}
