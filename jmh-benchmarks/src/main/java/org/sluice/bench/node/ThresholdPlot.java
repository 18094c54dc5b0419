package org.sluice.bench.node;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.sluice.bench.node.ThresholdSweep.Point;

/** How long ranks wait under each threshold by the size of the buffer: one plot per workload. */
final class ThresholdPlot {
  private static final int WIDTH = 1000;
  private static final int HEIGHT = 600;

  private final List<Point> points;

  ThresholdPlot(final List<Point> points) {
    this.points = points;
  }

  /** Writes {@code PREFIX-WORKLOAD}, as PNG and SVG. */
  void write(final Path prefix, final Workload workload) throws IOException {
    final XYChart chart =
        new XYChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(workload + ": time that ranks wait for a checkpoint, by threshold")
            .xAxisTitle("buffer, MiB")
            .yAxisTitle("ms")
            .build();
    chart.getStyler().setXAxisLogarithmic(true);
    chart.getStyler().setYAxisMin(0.0);
    chart.getStyler().setLegendPosition(LegendPosition.OutsideE);
    points.stream()
        .filter(point -> point.workload() == workload)
        .map(Point::threshold)
        .distinct()
        .forEach(threshold -> add(chart, workload, threshold));
    final String name = prefix + "-" + workload;
    BitmapEncoder.saveBitmap(chart, name, BitmapEncoder.BitmapFormat.PNG);
    VectorGraphicsEncoder.saveVectorGraphic(
        chart, name, VectorGraphicsEncoder.VectorGraphicsFormat.SVG);
  }

  private void add(final XYChart chart, final Workload workload, final Threshold threshold) {
    final List<Point> line =
        points.stream()
            .filter(point -> point.workload() == workload && point.threshold().equals(threshold))
            .toList();
    chart.addSeries(
        threshold.label(),
        line.stream().map(point -> (double) (point.bufferBytes() >> 20)).toList(),
        line.stream().map(point -> Summary.of(point.returns()).median()).toList());
  }
}
