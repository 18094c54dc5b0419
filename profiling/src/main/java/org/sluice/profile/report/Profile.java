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
import java.util.stream.Stream;
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
 * The figures of a trace. A trace is read three times, and no write is kept, so that the trace may
 * be larger than memory.
 */
final class Profile {
  /** The number of files that are counted each; further files count as one. */
  private static final int MOST_FILES = 50_000;

  private static final String OTHER_FILES = "(further files)";

  /** The number of steps for a doubling, so that a curve over the size is smooth. */
  private static final int STEPS = 8;

  final String name;
  final String kind;
  final Tally sequential = new Tally();
  final SortedMap<String, Survey> nodes = new TreeMap<>();
  final Map<Route, Tally> routes = new EnumMap<>(Route.class);
  final Map<Call, Tally> calls = new EnumMap<>(Call.class);
  final Bursts bursts = new Bursts();
  final List<Phase> phases;
  final Omissions omissions;

  /** The tallies by size in steps, see {@link #stepEnd}. */
  final List<Tally> sizes = tallies(Long.SIZE * STEPS);

  /** The writes by time; null without a write. */
  final TimeMap timeMap;

  private final Survey survey;
  private final List<Tally> classes = tallies(SizeClasses.COUNT);
  private final Map<String, FileProfile> files = new HashMap<>();

  Profile(final String name, final Trace trace) throws IOException {
    this.name = name;
    kind = trace.kind();
    survey = Survey.of(trace);
    final Phases found = new Phases(survey);
    omissions =
        trace.read(
            write -> {
              found.add(write);
              add(write);
            });
    bursts.end();
    phases = found.list();
    timeMap = isEmpty() ? null : new TimeMap(survey, new TimeAxis(phases));
    if (timeMap != null) {
      trace.read(timeMap::add);
    }
  }

  private static List<Tally> tallies(final int count) {
    return Stream.generate(Tally::new).limit(count).toList();
  }

  private void add(final Write write) {
    classes.get(SlotDescriptor.sizeClass(write.size())).add(write);
    sizes.get(step(write.size())).add(write);
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

  /** Returns the largest size of the writes in a step and those before. */
  static double stepEnd(final int step) {
    return Math.pow(2, (step + 1.0) / STEPS);
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

  Tally sizeClass(final int sizeClass) {
    return classes.get(sizeClass);
  }

  /** Returns the files, those with the most bytes first. */
  List<FileProfile> files() {
    final List<FileProfile> sorted = new ArrayList<>(files.values());
    sorted.sort(
        Comparator.comparingLong((FileProfile file) -> -file.tally().bytes())
            .thenComparing(FileProfile::path));
    return sorted;
  }
}
