package org.sluice.profile.report;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.sluice.core.command.SizeConverter;
import org.sluice.profile.trace.Tally;

/** The statistics of an I/O process as a table. */
public final class LiveText {
  private LiveText() {}

  /** The writes of a size: into the buffer, and to their files at once. */
  private record Row(String label, Tally aggregated, Tally direct) {
    private Tally all() {
      final Tally all = new Tally();
      all.add(aggregated);
      all.add(direct);
      return all;
    }

    private void print(final PrintWriter out, final Tally total) {
      final Tally all = all();
      out.printf(
          "%-14s %10d %12s %12.2f %12.2f %12d %10d%n",
          label,
          all.writes(),
          SizeConverter.format(all.bytes()),
          all.percentOfWrites(total),
          all.percentOfBytes(total),
          aggregated.writes(),
          direct.writes());
    }
  }

  /**
   * @param statistics the members of the JSON of {@code --stats}
   */
  public static void print(final Map<String, Object> statistics, final PrintWriter out) {
    final List<Row> rows = rows((List<?>) statistics.get("size_classes"));
    final Row total = new Row("all", new Tally(), new Tally());
    rows.forEach(row -> total.aggregated().add(row.aggregated()));
    rows.forEach(row -> total.direct().add(row.direct()));
    out.printf(
        "%-14s %10s %12s %12s %12s %12s %10s%n",
        "SIZE", "WRITES", "DATA", "% OF WRITES", "% OF DATA", "AGGREGATED", "DIRECT");
    rows.forEach(row -> row.print(out, total.all()));
    total.print(out, total.all());
    out.printf(
        "%nfiles: %d; buffer: %s, %s of it at most in use; drained: %s%n",
        number(statistics, "files"),
        SizeConverter.format(number(statistics, "buffer_bytes")),
        SizeConverter.format(number(statistics, "peak_buffer_bytes")),
        SizeConverter.format(number(statistics, "drained_bytes")));
    printOthers((List<?>) statistics.get("not_aggregated"), out);
    if (number(statistics, "waits") > 0) {
      out.printf(
          "waits for room: %d, %.3f s in all%n",
          number(statistics, "waits"), ((Number) statistics.get("wait_seconds")).doubleValue());
    }
  }

  /** Prints the bytes that did not go through the buffer, with the reasons. */
  private static void printOthers(final List<?> others, final PrintWriter out) {
    for (final Object each : others) {
      final Map<?, ?> members = (Map<?, ?>) each;
      final long estimated = number(members, "estimated_bytes");
      final long bytes = number(members, "bytes") + estimated;
      out.printf(
          "not through the buffer: %s%s %s%n",
          estimated > 0 ? "at most " : "", SizeConverter.format(bytes), members.get("text"));
    }
  }

  private static List<Row> rows(final List<?> classes) {
    final List<Row> rows = new ArrayList<>();
    for (int i = 0; i < classes.size(); i++) {
      final Map<?, ?> members = (Map<?, ?>) classes.get(i);
      rows.add(
          new Row(SizeClasses.label(i), tally(members, "aggregated"), tally(members, "direct")));
    }
    return rows;
  }

  private static Tally tally(final Map<?, ?> members, final String way) {
    return Tally.of(number(members, way + "_writes"), number(members, way + "_bytes"));
  }

  private static long number(final Map<?, ?> members, final String name) {
    return ((Number) members.get(name)).longValue();
  }
}
