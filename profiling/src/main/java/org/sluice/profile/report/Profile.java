package org.sluice.profile.report;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.sluice.core.segment.SlotDescriptor;
import org.sluice.profile.report.Phases.Phase;
import org.sluice.profile.trace.Call;
import org.sluice.profile.trace.Omissions;
import org.sluice.profile.trace.Route;
import org.sluice.profile.trace.Survey;
import org.sluice.profile.trace.Tally;
import org.sluice.profile.trace.Trace;
import org.sluice.profile.trace.Write;

/**
 * The figures of a trace. It is read three times, and none of its writes is kept, so that a trace
 * may be larger than memory.
 */
public final class Profile {
  /** Where a trace has more files, the others are counted as one. */
  private static final int MOST_FILES = 50_000;

  private static final String OTHER_FILES = "(further files)";

  /** Eight steps for a doubling, so that a curve over the size is smooth. */
  private static final int STEPS = 8;

  private final String name;
  private final String kind;
  private final Survey survey;
  private final Tally sequential = new Tally();
  private final Tally[] classes = tallies(SizeClasses.COUNT);
  private final Tally[] sizes = tallies(Long.SIZE * STEPS);
  private final Map<Route, Tally> routes = new EnumMap<>(Route.class);
  private final Map<Call, Tally> calls = new EnumMap<>(Call.class);
  private final SortedMap<String, Survey> nodes = new TreeMap<>();
  private final Map<String, FileProfile> files = new HashMap<>();
  private final Bursts bursts = new Bursts();
  private List<Phase> phases;
  private TimeMap timeMap;
  private Omissions omissions;

  private Profile(final String name, final String kind, final Survey survey) {
    this.name = name;
    this.kind = kind;
    this.survey = survey;
  }

  /**
   * Reads a trace.
   *
   * @param name what it is called in reports
   * @param trace the trace
   * @return its figures
   * @throws IOException when it cannot be read
   */
  public static Profile of(final String name, final Trace trace) throws IOException {
    final Survey survey = Survey.of(trace);
    final Profile profile = new Profile(name, trace.kind(), survey);
    if (survey.isEmpty()) {
      profile.phases = List.of();
      profile.omissions = trace.read(write -> {});
      return profile;
    }
    final Phases phases = new Phases(survey);
    profile.omissions =
        trace.read(
            write -> {
              phases.add(write);
              profile.add(write);
            });
    profile.bursts.end();
    profile.phases = phases.list();
    profile.timeMap = new TimeMap(survey, new TimeAxis(profile.phases));
    trace.read(profile.timeMap::add);
    return profile;
  }

  private static Tally[] tallies(final int count) {
    final Tally[] tallies = new Tally[count];
    for (int i = 0; i < count; i++) {
      tallies[i] = new Tally();
    }
    return tallies;
  }

  private void add(final Write write) {
    classes[SlotDescriptor.sizeClass(write.size())].add(write);
    sizes[step(write.size())].add(write);
    routes.computeIfAbsent(write.route(), route -> new Tally()).add(write);
    calls.computeIfAbsent(write.call(), call -> new Tally()).add(write);
    nodes.computeIfAbsent(write.origin().host(), host -> new Survey()).add(write);
    if (file(write.file()).add(write)) {
      sequential.add(write);
    }
    bursts.add(write);
  }

  private FileProfile file(final String path) {
    final String key = files.size() < MOST_FILES || files.containsKey(path) ? path : OTHER_FILES;
    return files.computeIfAbsent(key, FileProfile::new);
  }

  private static int step(final long size) {
    return size == 0 ? 0 : (int) (Math.log(size) / Math.log(2) * STEPS);
  }

  /** The size that the writes of a step and of those before do not exceed. */
  static double stepEnd(final int step) {
    return Math.pow(2, (step + 1.0) / STEPS);
  }

  String name() {
    return name;
  }

  String kind() {
    return kind;
  }

  int processes() {
    return survey.origins().size();
  }

  boolean isEmpty() {
    return survey.isEmpty();
  }

  Tally total() {
    return survey.tally();
  }

  Tally sequential() {
    return sequential;
  }

  Tally sizeClass(final int sizeClass) {
    return classes[sizeClass];
  }

  /** By size in steps, see {@link #stepEnd}. */
  List<Tally> sizes() {
    return List.of(sizes);
  }

  Map<Route, Tally> routes() {
    return routes;
  }

  Map<Call, Tally> calls() {
    return calls;
  }

  SortedMap<String, Survey> nodes() {
    return nodes;
  }

  /** With the most bytes first. */
  List<FileProfile> files() {
    final List<FileProfile> sorted = new ArrayList<>(files.values());
    sorted.sort(
        Comparator.comparingLong((FileProfile file) -> -file.tally().bytes())
            .thenComparing(FileProfile::path));
    return sorted;
  }

  Bursts bursts() {
    return bursts;
  }

  List<Phase> phases() {
    return phases;
  }

  /** Not there without a write. */
  TimeMap timeMap() {
    return timeMap;
  }

  Omissions omissions() {
    return omissions;
  }
}
