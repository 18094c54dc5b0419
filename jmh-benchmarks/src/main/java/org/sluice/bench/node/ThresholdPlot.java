package org.sluice.bench.node;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.sluice.bench.node.ThresholdSweep.Point;
import org.sluice.profile.workload.Workload;

/** How long ranks wait under each threshold by the size of the buffer: one plot per workload. */
final class ThresholdPlot {
  private final List<Point> points;

  ThresholdPlot(final List<Point> points) {
    this.points = points;
  }

  /** Writes {@code PREFIX-WORKLOAD}, as PNG and SVG. */
  void write(final Path prefix, final Workload workload) throws IOException {
    final Chart chart =
        new Chart(workload + ": time that ranks wait for a checkpoint, by threshold", "buffer MiB");
    points.stream()
        .filter(point -> point.workload() == workload)
        .map(Point::threshold)
        .distinct()
        .forEach(threshold -> add(chart, workload, threshold));
    chart.save(prefix + "-" + workload);
  }

  private void add(final Chart chart, final Workload workload, final Threshold threshold) {
    final List<Point> line =
        points.stream()
            .filter(point -> point.workload() == workload && point.threshold().equals(threshold))
            .toList();
    chart.add(
        threshold.label(),
        line.stream().map(point -> point.bufferBytes() >> 20).toList(),
        line.stream().map(point -> Summary.of(point.returns()).median()).toList());
  }
}
