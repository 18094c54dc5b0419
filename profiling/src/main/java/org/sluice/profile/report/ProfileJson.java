package org.sluice.profile.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.sluice.core.command.JsonObject;
import org.sluice.profile.trace.Tally;

/** A profile as maps, lists, strings and numbers. The HTML page draws from the same. */
final class ProfileJson {
  private static final int MOST_FILES = 200;

  private final Profile profile;

  private ProfileJson(final Profile profile) {
    this.profile = profile;
  }

  static JsonObject of(final Profile profile) {
    return new ProfileJson(profile).all();
  }

  private JsonObject all() {
    final JsonObject all =
        new JsonObject()
            .with("name", profile.name)
            .with("kind", profile.kind)
            .with("headline", Headline.of(profile))
            .with("processes", profile.processes())
            .with("total", counts(profile.total()))
            .with("nodes", nodes())
            .with("classes", IntStream.range(0, SizeClasses.COUNT).mapToObj(this::sizes).toList())
            .with("cumulative", cumulative())
            .with("sequential", shares(profile.sequential))
            .with("bursts", bursts())
            .with("routes", named(profile.routes))
            .with("calls", named(profile.calls))
            .with("phases", profile.phases.stream().map(this::phase).toList());
    if (!profile.isEmpty()) {
      all.with("timeline", timeline(profile.timeMap)).with("heat", heat(profile.timeMap));
    }
    final List<FileProfile> files = profile.files();
    return all.with("file_count", files.size())
        .with("files", files.stream().limit(MOST_FILES).map(this::file).toList())
        .with("omissions", omissions());
  }

  private static JsonObject counts(final Tally tally) {
    return new JsonObject()
        .with("writes", tally.writes())
        .with("bytes", tally.bytes())
        .with("seconds", tally.seconds());
  }

  private JsonObject shares(final Tally tally) {
    return counts(tally)
        .with("percent_of_writes", rounded(tally.percentOfWrites(profile.total())))
        .with("percent_of_data", rounded(tally.percentOfBytes(profile.total())))
        .with("percent_of_time", rounded(tally.percentOfTime(profile.total())));
  }

  private List<JsonObject> nodes() {
    final List<JsonObject> nodes = new ArrayList<>();
    profile.nodes.forEach(
        (host, node) ->
            nodes.add(
                new JsonObject()
                    .with("node", host)
                    .with("processes", node.origins().size())
                    .with(counts(node.tally()))
                    .with("span_seconds", node.spanSeconds())));
    return nodes;
  }

  private JsonObject sizes(final int sizeClass) {
    return new JsonObject()
        .with("label", SizeClasses.label(sizeClass))
        .with("from", SizeClasses.from(sizeClass))
        .with("to", sizeClass == SizeClasses.COUNT - 1 ? null : SizeClasses.to(sizeClass))
        .with(shares(profile.sizeClass(sizeClass)));
  }

  /**
   * Returns, for each size, the percentages of writes, of data and of time up to it. Sizes without
   * writes are left out.
   */
  private List<Object> cumulative() {
    final List<Object> points = new ArrayList<>();
    final Tally below = new Tally();
    for (int step = 0; step < profile.sizes.size(); step++) {
      final Tally tally = profile.sizes.get(step);
      if (tally.writes() > 0) {
        below.add(tally);
        points.add(
            List.of(
                Math.round(Profile.stepEnd(step)),
                rounded(below.percentOfWrites(profile.total())),
                rounded(below.percentOfBytes(profile.total())),
                rounded(below.percentOfTime(profile.total()))));
      }
    }
    return points;
  }

  private JsonObject bursts() {
    final Bursts bursts = profile.bursts;
    return new JsonObject()
        .with("count", bursts.count())
        .with("writes", bursts.tally().writes())
        .with("bytes", bursts.tally().bytes())
        .with("longest", bursts.longest())
        .with("least_writes", Bursts.LEAST_WRITES)
        .with("below_bytes", Bursts.SMALL);
  }

  private <K extends Enum<K>> JsonObject named(final Map<K, Tally> tallies) {
    final JsonObject members = new JsonObject();
    tallies.forEach(
        (key, tally) -> members.with(key.name().toLowerCase(Locale.ROOT), shares(tally)));
    return members;
  }

  private JsonObject phase(final Phases.Phase phase) {
    final long first = profile.phases.getFirst().from();
    return new JsonObject()
        .with("start_seconds", (phase.from() - first) / 1e9)
        .with("seconds", phase.length() / 1e9);
  }

  private static JsonObject timeline(final TimeMap map) {
    final List<JsonObject> lines = new ArrayList<>();
    for (int line = 0; line < map.labels().size(); line++) {
      final int of = line;
      lines.add(
          new JsonObject()
              .with("label", map.labels().get(line))
              .with("busy", columns(map, column -> rounded(map.busy(of, column)))));
    }
    return new JsonObject()
        .with("columns", map.axis().columns())
        .with("phase_columns", map.axis().stretches().stream().map(s -> s.end()).toList())
        .with("lines", lines);
  }

  private static JsonObject heat(final TimeMap map) {
    final List<Object> rows = new ArrayList<>();
    for (int row = 0; row < map.offsetRows(); row++) {
      final int of = row;
      rows.add(columns(map, column -> Math.round(map.bytes(of, column))));
    }
    return new JsonObject().with("farthest", map.farthest()).with("rows", rows);
  }

  private static List<Object> columns(final TimeMap map, final IntFunction<Object> value) {
    return IntStream.range(0, map.axis().columns()).mapToObj(value).toList();
  }

  private JsonObject file(final FileProfile file) {
    return new JsonObject()
        .withFile("path", file.path())
        .with("writers", file.writers())
        .with("end", file.end())
        .with("percent_sequential", rounded(file.percentSequential()))
        .with(shares(file.tally()));
  }

  private JsonObject omissions() {
    return new JsonObject()
        .with("skipped", profile.omissions.skipped())
        .with("first", profile.omissions.first())
        .with("notes", profile.omissions.notes());
  }

  private static double rounded(final double value) {
    return Math.round(value * 1e4) / 1e4;
  }
}
