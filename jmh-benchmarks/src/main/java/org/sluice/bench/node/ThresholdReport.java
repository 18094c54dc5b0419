package org.sluice.bench.node;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.sluice.bench.node.ThresholdSweep.Point;
import org.sluice.profile.workload.Workload;

/** What a sweep measured, as a table for a terminal and as JSON. */
final class ThresholdReport {
  private final List<Point> points;

  ThresholdReport(final List<Point> points) {
    this.points = points;
  }

  /** Prints the thresholds of one workload and buffer, and how auto does against the extremes. */
  void print(final PrintStream out, final Workload workload, final long bufferBytes) {
    final List<Point> row =
        points.stream()
            .filter(point -> point.workload() == workload && point.bufferBytes() == bufferBytes)
            .toList();
    out.printf("%n%s, buffer of %d MiB%n", workload, bufferBytes >> 20);
    out.printf(
        "%-10s %26s %26s %9s %9s%n",
        "threshold", "return ms [min..max]", "durable ms [min..max]", "direct %", "wait ms");
    for (final Point point : row) {
      out.printf(
          Locale.ROOT,
          "%-10s %26s %26s %9.1f %9.1f%n",
          point.threshold(),
          spread(point.returns()),
          spread(point.durables()),
          100 * Summary.of(point.directShare()).median(),
          Summary.of(point.waitMillis()).median());
    }
    extremes(row)
        .forEach(
            extreme -> {
              final Summary ratio = quotients(row.stream(), extreme);
              out.printf(
                  Locale.ROOT,
                  "return: auto / %-6s %.3f [%.3f..%.3f]%n",
                  extreme.threshold(),
                  ratio.median(),
                  ratio.min(),
                  ratio.max());
            });
    out.flush();
  }

  /** All direct and all aggregated: the smallest and the largest threshold beside auto. */
  private static List<Point> extremes(final List<Point> row) {
    final List<Point> fixed =
        row.stream()
            .filter(point -> !point.threshold().isAuto())
            .sorted(Comparator.comparingLong(point -> point.threshold().bytes()))
            .toList();
    return fixed.isEmpty() || fixed.size() == row.size()
        ? List.of()
        : List.of(fixed.getFirst(), fixed.getLast());
  }

  /** What auto took by what another threshold took in the same round. */
  private static Summary quotients(final Stream<Point> row, final Point other) {
    final Point auto = row.filter(point -> point.threshold().isAuto()).findFirst().orElseThrow();
    return Summary.of(
        IntStream.range(0, other.returns().size())
            .mapToObj(i -> auto.returns().get(i) / other.returns().get(i))
            .toList());
  }

  private static String spread(final List<Double> values) {
    final Summary summary = Summary.of(values);
    return String.format(
        Locale.ROOT, "%.1f [%.1f..%.1f]", summary.median(), summary.min(), summary.max());
  }

  /** Writes a JSON array with one object for each workload, buffer and threshold, a line each. */
  void write(final Path file, final Machine machine) throws IOException {
    final StringBuilder lines = new StringBuilder();
    for (final Point point : points) {
      lines
          .append(lines.isEmpty() ? "[\n" : ",\n")
          .append(JSON.std.asString(object(point, machine)));
    }
    Files.writeString(file, lines.append("\n]\n"));
  }

  private static Map<String, Object> object(final Point point, final Machine machine) {
    final Map<String, Object> json = new LinkedHashMap<>();
    json.put("workload", point.workload().name());
    json.put("buffer_bytes", point.bufferBytes());
    json.put("threshold", point.threshold().label());
    json.put("rounds", point.returns().size());
    json.put("return_ms", Summary.of(point.returns()).toJson());
    json.put("durable_ms", Summary.of(point.durables()).toJson());
    json.put("direct_share", Summary.of(point.directShare()).toJson());
    json.put("wait_ms", Summary.of(point.waitMillis()).toJson());
    json.put("machine", machine.toJson());
    return json;
  }
}
