package org.sluice.bench.node;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import org.sluice.profile.workload.Workload;

/** Results as tables for a terminal. */
final class TableReport {
  private static final double MEGA = 1e6;
  private static final String ROW = "%-22s %26s %26s %8s %8s %7s %10s %9s%n";

  private final PrintStream out;
  private final Results results;

  TableReport(final PrintStream out, final Results results) {
    this.out = out;
    this.results = results;
  }

  void print(final Workload workload, final int gapMillis) {
    out.printf(
        Locale.ROOT,
        "%n%s: %d ranks, %.1f MB a checkpoint, %d ms of idleness before each%n",
        workload,
        results.ranks(),
        results.checkpointLength(workload) / MEGA,
        gapMillis);
    out.printf(
        ROW,
        "system",
        "return ms [min..max]",
        "durable ms [min..max]",
        "open ms",
        "ranks s",
        "iop s",
        "buffer MB",
        "syscalls");
    for (final Series series : results.all()) {
      if (series.workload() == workload && series.gapMillis() == gapMillis) {
        out.printf(
            ROW,
            series.target(),
            spread(series.returns()),
            spread(series.durables()),
            median(series.opens(), "%.1f", 1),
            median(series.ranksCpu(), "%.3f", 1),
            median(series.iopCpu(), "%.3f", 1),
            median(series.buffered(), "%.1f", MEGA),
            median(series.systemCalls(), "%.0f", 1));
      }
    }
    printMemory(workload, gapMillis);
    out.println();
    for (final Ratio ratio : Ratio.of(results, workload, gapMillis)) {
      out.printf(
          Locale.ROOT,
          "%-44s %7.3f [%.3f..%.3f]  wanted %s%n",
          ratio.name(),
          ratio.summary().median(),
          ratio.summary().min(),
          ratio.summary().max(),
          ratio.goal());
    }
    out.flush();
  }

  private void printMemory(final Workload workload, final int gapMillis) {
    for (final Series series : results.all()) {
      if (series.workload() == workload && series.gapMillis() == gapMillis) {
        series
            .footprint()
            .ifPresent(
                memory ->
                    out.printf(
                        Locale.ROOT,
                        "%-22s memory of the I/O process: peak %.0f MB, %.0f of its own; segment in"
                            + " huge pages: %.0f MB%n",
                        series.target(),
                        memory.peak() / MEGA,
                        memory.own() / MEGA,
                        memory.huge() / MEGA));
      }
    }
  }

  private static String spread(final List<Double> values) {
    if (values.isEmpty()) {
      return "-";
    }
    final Summary summary = Summary.of(values);
    return String.format(
        Locale.ROOT, "%.1f [%.1f..%.1f]", summary.median(), summary.min(), summary.max());
  }

  private static String median(final List<Double> values, final String format, final double unit) {
    return values.isEmpty()
        ? "-"
        : String.format(Locale.ROOT, format, Summary.of(values).median() / unit);
  }
}
