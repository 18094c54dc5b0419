package org.sluice.bench.node;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Times by work, one plot for each part. */
final class GrowPlot {
  private static final Map<Target, Color> COLORS =
      Map.of(
          Target.POSIX_FRESH, new Color(0xFF7F00),
          Target.MEMCPY_FLOOR, new Color(0x33A02C),
          Target.ODIRECT_FLOOR, new Color(0x6A3D9A),
          Target.CONTAINER_AUTO, new Color(0x1F78B4));

  private final List<GrowPoint> points;

  GrowPlot(final List<GrowPoint> points) {
    this.points = points;
  }

  /** Writes {@code PREFIX-PART}, as PNG and SVG. */
  void write(final Path prefix, final GrowPart part) throws IOException {
    final Chart chart = new Chart("A checkpoint's time by " + part.label(), part.unit());
    if (part != GrowPart.RANKS) {
      chart.logarithmic();
    }
    for (final Target target : part.targets()) {
      add(chart, part, target, "return", GrowPoint::returns);
      add(chart, part, target, "durable", GrowPoint::durables);
    }
    chart.save(prefix + "-" + part.label());
  }

  private void add(
      final Chart chart,
      final GrowPart part,
      final Target target,
      final String what,
      final Function<GrowPoint, List<Double>> times) {
    final List<GrowPoint> line =
        points.stream()
            .filter(point -> point.part() == part && point.target() == target)
            .filter(point -> !times.apply(point).isEmpty())
            .toList();
    if (!line.isEmpty()) {
      chart.add(
          target + ", " + what,
          line.stream().map(GrowPoint::work).toList(),
          line.stream().map(point -> Summary.of(times.apply(point)).median()).toList(),
          COLORS.get(target),
          what.equals("return"));
    }
  }
}
