package org.sluice.bench.node;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Results as a JSON array with one object for each workload, system and gap, a line each. */
final class JsonReport {
  private static final JSON JSON_WITH_NULLS = JSON.std.with(JSON.Feature.WRITE_NULL_PROPERTIES);

  private final Results results;
  private final Machine machine;

  JsonReport(final Results results, final Machine machine) {
    this.results = results;
    this.machine = machine;
  }

  void write(final Path file) throws IOException {
    final StringBuilder lines = new StringBuilder();
    for (final Series series : results.all()) {
      lines
          .append(lines.isEmpty() ? "[\n" : ",\n")
          .append(JSON_WITH_NULLS.asString(object(series)));
    }
    Files.writeString(file, lines.append("\n]\n"));
  }

  private Map<String, Object> object(final Series series) {
    final Map<String, Object> json = new LinkedHashMap<>();
    json.put("workload", series.workload().name());
    json.put("system", series.target().label());
    json.put("gap_ms", series.gapMillis());
    json.put("rounds", series.rounds());
    json.put("ranks", results.ranks());
    json.put("bytes", results.checkpointLength(series.workload()));
    json.put("return_ms", summary(series.returns()));
    json.put("durable_ms", summary(series.durables()));
    json.put("open_ms", summary(series.opens()));
    final Map<String, Object> cpu = new LinkedHashMap<>();
    cpu.put("ranks", median(series.ranksCpu()));
    cpu.put("iop", median(series.iopCpu()));
    json.put("cpu_s", cpu);
    json.put("system_calls", median(series.systemCalls()));
    json.put("buffered_bytes", median(series.buffered()));
    json.put("iop_memory_bytes", series.footprint().map(JsonReport::memory).orElse(null));
    json.put("machine", machine.toJson());
    return json;
  }

  private static Map<String, Object> memory(final Series.Footprint footprint) {
    final Map<String, Object> json = new LinkedHashMap<>();
    json.put("peak", footprint.peak());
    json.put("own", footprint.own());
    json.put("segment_in_huge_pages", footprint.huge());
    return json;
  }

  private static Map<String, Object> summary(final List<Double> values) {
    return values.isEmpty() ? null : Summary.of(values).toJson();
  }

  private static Double median(final List<Double> values) {
    return values.isEmpty() ? null : Summary.rounded(Summary.of(values).median());
  }
}
