package org.sluice.bench.node;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/** Cost against work, as a table for a terminal and as JSON. */
final class GrowReport {
  private static final JSON JSON_WITH_NULLS = JSON.std.with(JSON.Feature.WRITE_NULL_PROPERTIES);
  private static final double MEGA = 1e6;
  private static final String ROW = "%12s  %-22s %26s %26s %9s %9s %8s %8s %12s%n";

  private final List<GrowPoint> points;

  GrowReport(final List<GrowPoint> points) {
    this.points = points;
  }

  void printHeading(final PrintStream out, final GrowPart part) {
    out.println();
    out.printf(
        ROW,
        part.unit(),
        "system",
        "return ms [min..max]",
        "durable ms [min..max]",
        "open ms",
        "iop ms",
        "own MB",
        "heap MB",
        "by O_DIRECT");
  }

  /** Prints all targets that did so much work. */
  void print(final PrintStream out, final GrowPart part, final long work) {
    for (final GrowPoint point : points) {
      if (point.part() == part && point.work() == work) {
        out.printf(
            ROW,
            work,
            point.target(),
            spread(point.returns()),
            spread(point.durables()),
            median(point.opens()),
            point.target().isSluice() ? median(point.iopCpu()) : "-",
            megabytes(point, GrowPoint.Memory::own),
            megabytes(point, GrowPoint.Memory::heap),
            byFloor(point).map(ratio -> "%.3f".formatted(ratio.median())).orElse("-"));
      }
    }
    out.flush();
  }

  /** What it took until all was durable, by what the disk alone takes in the same round. */
  private Optional<Summary> byFloor(final GrowPoint point) {
    return points.stream()
        .filter(floor -> floor.target() == Target.ODIRECT_FLOOR && point.target().isSluice())
        .filter(floor -> floor.part() == point.part() && floor.work() == point.work())
        .findFirst()
        .map(
            floor ->
                Summary.of(
                    IntStream.range(0, floor.durables().size())
                        .mapToObj(i -> point.durables().get(i) / floor.durables().get(i))
                        .toList()));
  }

  private static String spread(final List<Double> values) {
    if (values.isEmpty()) {
      return "-";
    }
    final Summary summary = Summary.of(values);
    return String.format(
        Locale.ROOT, "%.1f [%.1f..%.1f]", summary.median(), summary.min(), summary.max());
  }

  private static String median(final List<Double> values) {
    return values.isEmpty() ? "-" : String.format(Locale.ROOT, "%.1f", Summary.of(values).median());
  }

  private static String megabytes(
      final GrowPoint point, final ToLongFunction<GrowPoint.Memory> bytes) {
    return point
        .memoryAtEnd()
        .map(memory -> String.format(Locale.ROOT, "%.1f", bytes.applyAsLong(memory) / MEGA))
        .orElse("-");
  }

  /** Writes a JSON array with one object for each work and system, a line each. */
  void write(final Path file, final Machine machine) throws IOException {
    final StringBuilder lines = new StringBuilder();
    for (final GrowPoint point : points) {
      lines
          .append(lines.isEmpty() ? "[\n" : ",\n")
          .append(JSON_WITH_NULLS.asString(object(point, machine)));
    }
    Files.writeString(file, lines.append("\n]\n"));
  }

  private Map<String, Object> object(final GrowPoint point, final Machine machine) {
    final Map<String, Object> json = new LinkedHashMap<>();
    json.put("part", point.part().label());
    json.put("work", point.work());
    json.put("unit", point.part().unit());
    json.put("system", point.target().label());
    json.put("bytes", point.bytes());
    json.put("rounds", point.opens().isEmpty() ? point.durables().size() : point.opens().size());
    json.put("return_ms", summary(point.returns()));
    json.put("durable_ms", summary(point.durables()));
    json.put("open_ms", summary(point.opens()));
    json.put("iop_cpu_ms", point.target().isSluice() ? summary(point.iopCpu()) : null);
    json.put("iop_own_bytes", point.memoryAtEnd().map(GrowPoint.Memory::own).orElse(null));
    json.put("iop_heap_bytes", point.memoryAtEnd().map(GrowPoint.Memory::heap).orElse(null));
    json.put("durable_by_odirect", byFloor(point).map(Summary::toJson).orElse(null));
    json.put("machine", machine.toJson());
    return json;
  }

  private static Map<String, Object> summary(final List<Double> values) {
    return values.isEmpty() ? null : Summary.of(values).toJson();
  }
}
