package org.sluice.profile.report;

import java.util.ArrayList;
import java.util.List;
import org.sluice.profile.report.Phases.Phase;

/** A time axis of columns that leaves the pauses out. Each phase has its share of the columns. */
final class TimeAxis {
  private static final int COLUMNS = 180;
  private static final int LEAST = 6;

  /** A receiver of the part of a write that falls into a column. */
  interface Sink {
    void accept(int column, double share, double nanos);
  }

  /** A phase and its columns, from the first to before the end. */
  record Stretch(Phase phase, int first, int end) {
    double columnNanos() {
      return (double) phase.length() / (end - first);
    }
  }

  private final List<Stretch> stretches = new ArrayList<>();

  TimeAxis(final List<Phase> phases) {
    final long sum = phases.stream().mapToLong(Phase::length).sum();
    int column = 0;
    for (final Phase phase : phases) {
      final int columns = Math.max(LEAST, (int) (COLUMNS * (double) phase.length() / sum));
      stretches.add(new Stretch(phase, column, column + columns));
      column += columns;
    }
  }

  List<Stretch> stretches() {
    return stretches;
  }

  int columns() {
    return stretches.isEmpty() ? 0 : stretches.getLast().end();
  }

  double columnNanos(final int column) {
    return stretches.stream().filter(s -> column < s.end()).findFirst().orElseThrow().columnNanos();
  }

  void spread(final long begin, final long end, final Sink sink) {
    for (final Stretch stretch : stretches) {
      if (begin >= stretch.phase().from() && begin < stretch.phase().to()) {
        spread(stretch, begin, end, sink);
        return;
      }
    }
  }

  private static void spread(
      final Stretch stretch, final long begin, final long end, final Sink sink) {
    final double width = stretch.columnNanos();
    final double low = (begin - stretch.phase().from()) / width;
    final double high = Math.max(low, (end - stretch.phase().from()) / width);
    final int columns = stretch.end() - stretch.first();
    for (int i = (int) low; i < columns && i <= high; i++) {
      final double part = Math.min(high, i + 1.0) - Math.max(low, i);
      final double share = high > low ? part / (high - low) : 1;
      sink.accept(stretch.first() + i, share, part * width);
    }
  }
}
