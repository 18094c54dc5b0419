package org.sluice.profile.report;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import org.sluice.profile.trace.Survey;
import org.sluice.profile.trace.TracedProcess;
import org.sluice.profile.trace.Write;

/** The writes by time: of each process, and of each part of the files. */
final class TimeMap {
  private static final int MOST_LINES = 64;
  private static final int OFFSET_ROWS = 48;

  private final TimeAxis axis;
  private final long farthest;
  private final Map<TracedProcess, Integer> lines = new HashMap<>();
  private final List<String> labels = new ArrayList<>();
  private final List<Integer> sizes = new ArrayList<>();
  private final double[][] busyNanos;
  private final double[][] bytesAtOffset;

  TimeMap(final Survey survey, final TimeAxis axis) {
    this.axis = axis;
    this.farthest = Math.max(survey.farthest(), 1);
    assignLines(survey.origins());
    busyNanos = new double[labels.size()][axis.columns()];
    bytesAtOffset = new double[OFFSET_ROWS][axis.columns()];
  }

  /** Assigns processes to lines. Neighbours share a line where there are too many processes. */
  private void assignLines(final SortedSet<TracedProcess> origins) {
    final int count = Math.min(origins.size(), MOST_LINES);
    int index = 0;
    for (final TracedProcess origin : origins) {
      final int line = (int) ((long) index * count / origins.size());
      lines.put(origin, line);
      if (line == labels.size()) {
        labels.add(origin.label());
        sizes.add(1);
      } else {
        sizes.set(line, sizes.get(line) + 1);
      }
      index++;
    }
  }

  void add(final Write write) {
    final double[] busy = busyNanos[lines.get(write.origin())];
    final int first = row(write.offset());
    final int last = row(Math.max(write.offset(), write.endOffset() - 1));
    axis.spread(
        write.time().begin(),
        write.time().end(),
        (column, share, nanos) -> {
          busy[column] += nanos;
          for (int row = first; row <= last; row++) {
            bytesAtOffset[row][column] += share * write.size() / (last - first + 1);
          }
        });
  }

  private int row(final long offset) {
    return (int) Math.min(OFFSET_ROWS - 1, (double) offset / farthest * OFFSET_ROWS);
  }

  TimeAxis axis() {
    return axis;
  }

  List<String> labels() {
    return labels;
  }

  /** Returns the part of a column's time that the processes of a line spent in writes, 0 to 1. */
  double busy(final int line, final int column) {
    return Math.min(1, busyNanos[line][column] / axis.columnNanos(column) / sizes.get(line));
  }

  int offsetRows() {
    return OFFSET_ROWS;
  }

  double bytes(final int row, final int column) {
    return bytesAtOffset[row][column];
  }

  /** Returns the offset above the last row. */
  long farthest() {
    return farthest;
  }
}
