package org.sluice.bench.node;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.sluice.core.command.JsonObject;

/** The report of a sweep: tables for a terminal, and all figures as JSON. */
final class Report {
  private static final JSON JSON_WITH_NULLS = JSON.std.with(JSON.Feature.WRITE_NULL_PROPERTIES);

  private final Machine machine;
  private final List<Series> all = new ArrayList<>();
  private final List<Object> ratios = new ArrayList<>();

  Report(final Machine machine) {
    this.machine = machine;
  }

  /** Prints the systems of one load and gap, and keeps them. */
  void add(final List<Series> series, final PrintStream out) {
    final Series any = series.getFirst();
    all.addAll(series);
    out.printf(Locale.ROOT, "%n%s, %d ms of idleness before each%n", any.load(), any.gapMillis());
    print(Figure.TIMES, 24, series, out);
    out.println();
    print(Figure.NEEDS, 9, series, out);
    out.println();
    for (final Ratio ratio : Ratio.of(series)) {
      out.printf(
          Locale.ROOT,
          "%-54s %7.3f [%.3f..%.3f]%s%n",
          ratio.name(),
          ratio.summary().median(),
          ratio.summary().min(),
          ratio.summary().max(),
          ratio.goal().isEmpty() ? "" : "  wanted " + ratio.goal());
      ratios.add(place(any).with(ratio.toJson()));
    }
    out.flush();
  }

  private static void print(
      final List<Figure> wanted,
      final int width,
      final List<Series> series,
      final PrintStream out) {
    final List<Figure> figures =
        wanted.stream()
            .filter(figure -> series.stream().anyMatch(s -> !s.get(figure).isEmpty()))
            .toList();
    if (figures.isEmpty()) {
      return;
    }
    out.printf("%-22s", "system");
    for (final Figure figure : figures) {
      out.printf("%" + Math.max(width, figure.heading().length() + 1) + "s", figure.heading());
    }
    out.println();
    for (final Series each : series) {
      out.printf("%-22s", each.storage().label());
      for (final Figure figure : figures) {
        out.printf(
            "%" + Math.max(width, figure.heading().length() + 1) + "s",
            text(each.get(figure), wanted == Figure.TIMES));
      }
      out.println();
    }
  }

  private static String text(final List<Double> values, final boolean spread) {
    if (values.isEmpty()) {
      return "-";
    }
    final Summary summary = Summary.of(values);
    return spread
        ? String.format(
            Locale.ROOT, "%.1f [%.1f..%.1f]", summary.median(), summary.min(), summary.max())
        : String.format(Locale.ROOT, summary.median() < 1 ? "%.3f" : "%.1f", summary.median());
  }

  /** Writes the machine, an object for each load, gap and system, and an object for each ratio. */
  void write(final Path file) throws IOException {
    final JsonObject json =
        new JsonObject()
            .with("machine", machine.toJson())
            .with("series", all.stream().map(Report::json).toList())
            .with("ratios", ratios);
    Files.writeString(file, JSON_WITH_NULLS.asString(json) + "\n");
  }

  private static JsonObject place(final Series series) {
    return series.load().toJson().with("gap_ms", series.gapMillis());
  }

  private static JsonObject json(final Series series) {
    final JsonObject json = place(series).with("system", series.storage().label());
    for (final Figure figure : Figure.values()) {
      final List<Double> values = series.get(figure);
      json.put(figure.key(), values.isEmpty() ? null : Summary.of(values).toJson());
    }
    return json;
  }
}
