package org.sluice.profile.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.sluice.profile.trace.Tally;

/** A profile as maps, lists, strings and numbers; the page draws from the same. */
final class ProfileJson {
  private static final int MOST_FILES = 200;

  private final Profile profile;

  private ProfileJson(final Profile profile) {
    this.profile = profile;
  }

  static Map<String, Object> of(final Profile profile) {
    return new ProfileJson(profile).all();
  }

  private Map<String, Object> all() {
    final Map<String, Object> all = new LinkedHashMap<>();
    all.put("name", profile.name());
    all.put("kind", profile.kind());
    all.put("headline", Headline.of(profile));
    all.put("processes", profile.processes());
    all.put("total", counts(profile.total()));
    all.put("nodes", nodes());
    all.put("classes", classes());
    all.put("cumulative", cumulative());
    all.put("sequential", shares(profile.sequential()));
    all.put("bursts", bursts());
    all.put("routes", named(profile.routes()));
    all.put("calls", named(profile.calls()));
    all.put("phases", phases());
    if (!profile.isEmpty()) {
      all.put("timeline", timeline(profile.timeMap()));
      all.put("heat", heat(profile.timeMap()));
    }
    all.put("file_count", profile.files().size());
    all.put("files", files());
    all.put("omissions", omissions());
    return all;
  }

  private static Map<String, Object> counts(final Tally tally) {
    final Map<String, Object> members = new LinkedHashMap<>();
    members.put("writes", tally.writes());
    members.put("bytes", tally.bytes());
    members.put("seconds", tally.seconds());
    return members;
  }

  private Map<String, Object> shares(final Tally tally) {
    final Map<String, Object> members = counts(tally);
    members.put("percent_of_writes", rounded(tally.percentOfWrites(profile.total())));
    members.put("percent_of_data", rounded(tally.percentOfBytes(profile.total())));
    members.put("percent_of_time", rounded(tally.percentOfTime(profile.total())));
    return members;
  }

  private List<Object> nodes() {
    final List<Object> nodes = new ArrayList<>();
    profile
        .nodes()
        .forEach(
            (host, node) -> {
              final Map<String, Object> members = new LinkedHashMap<>();
              members.put("node", host);
              members.put("processes", node.origins().size());
              members.putAll(counts(node.tally()));
              members.put("span_seconds", node.spanSeconds());
              nodes.add(members);
            });
    return nodes;
  }

  private List<Object> classes() {
    final List<Object> classes = new ArrayList<>();
    for (int i = 0; i < SizeClasses.COUNT; i++) {
      final Map<String, Object> members = new LinkedHashMap<>();
      members.put("label", SizeClasses.label(i));
      members.put("from", SizeClasses.from(i));
      members.put("to", i == SizeClasses.COUNT - 1 ? null : SizeClasses.to(i));
      members.putAll(shares(profile.sizeClass(i)));
      classes.add(members);
    }
    return classes;
  }

  /**
   * Up to each size, the percentage of writes, of data and of time; sizes without writes are out.
   */
  private List<Object> cumulative() {
    final List<Object> points = new ArrayList<>();
    double writes = 0;
    double data = 0;
    double time = 0;
    for (int step = 0; step < profile.sizes().size(); step++) {
      final Tally tally = profile.sizes().get(step);
      if (tally.writes() > 0) {
        writes += tally.percentOfWrites(profile.total());
        data += tally.percentOfBytes(profile.total());
        time += tally.percentOfTime(profile.total());
        points.add(
            List.of(
                Math.round(Profile.stepEnd(step)), rounded(writes), rounded(data), rounded(time)));
      }
    }
    return points;
  }

  private Map<String, Object> bursts() {
    final Bursts bursts = profile.bursts();
    final Map<String, Object> members = new LinkedHashMap<>();
    members.put("count", bursts.count());
    members.put("writes", bursts.tally().writes());
    members.put("bytes", bursts.tally().bytes());
    members.put("longest", bursts.longest());
    members.put("least_writes", Bursts.LEAST_WRITES);
    members.put("below_bytes", Bursts.SMALL);
    return members;
  }

  private <K extends Enum<K>> Map<String, Object> named(final Map<K, Tally> tallies) {
    final Map<String, Object> members = new LinkedHashMap<>();
    tallies.forEach(
        (key, tally) -> members.put(key.name().toLowerCase(Locale.ROOT), shares(tally)));
    return members;
  }

  private List<Object> phases() {
    final List<Object> phases = new ArrayList<>();
    profile
        .phases()
        .forEach(
            phase -> {
              final Map<String, Object> members = new LinkedHashMap<>();
              members.put(
                  "start_seconds", (phase.from() - profile.phases().getFirst().from()) / 1e9);
              members.put("seconds", phase.length() / 1e9);
              phases.add(members);
            });
    return phases;
  }

  private static Map<String, Object> timeline(final TimeMap map) {
    final List<Object> lines = new ArrayList<>();
    for (int line = 0; line < map.labels().size(); line++) {
      final List<Object> busy = new ArrayList<>();
      for (int column = 0; column < map.axis().columns(); column++) {
        busy.add(rounded(map.busy(line, column)));
      }
      final Map<String, Object> members = new LinkedHashMap<>();
      members.put("label", map.labels().get(line));
      members.put("busy", busy);
      lines.add(members);
    }
    final Map<String, Object> members = new LinkedHashMap<>();
    members.put("columns", map.axis().columns());
    members.put("phase_columns", map.axis().stretches().stream().map(s -> s.end()).toList());
    members.put("lines", lines);
    return members;
  }

  private static Map<String, Object> heat(final TimeMap map) {
    final List<Object> rows = new ArrayList<>();
    for (int row = 0; row < map.offsetRows(); row++) {
      final List<Object> bytes = new ArrayList<>();
      for (int column = 0; column < map.axis().columns(); column++) {
        bytes.add(Math.round(map.bytes(row, column)));
      }
      rows.add(bytes);
    }
    final Map<String, Object> members = new LinkedHashMap<>();
    members.put("farthest", map.farthest());
    members.put("rows", rows);
    return members;
  }

  private List<Object> files() {
    final List<Object> files = new ArrayList<>();
    profile.files().stream()
        .limit(MOST_FILES)
        .forEach(
            file -> {
              final Map<String, Object> members = new LinkedHashMap<>();
              members.put("path", file.path());
              members.put("writers", file.writers());
              members.put("end", file.end());
              members.put("percent_sequential", rounded(file.percentSequential()));
              members.putAll(shares(file.tally()));
              files.add(members);
            });
    return files;
  }

  private Map<String, Object> omissions() {
    final Map<String, Object> members = new LinkedHashMap<>();
    members.put("skipped", profile.omissions().skipped());
    members.put("first", profile.omissions().first());
    members.put("notes", profile.omissions().notes());
    return members;
  }

  private static double rounded(final double value) {
    return Math.round(value * 1e4) / 1e4;
  }
}
