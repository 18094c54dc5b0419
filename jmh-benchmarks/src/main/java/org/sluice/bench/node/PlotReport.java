package org.sluice.bench.node;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.Function;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.sluice.profile.workload.Workload;

/**
 * The paper's two figures, write time and memory per threshold, with what was measured here beside
 * what was published. The machines differ too much to compare milliseconds, so times are
 * percentages of what plain files take on each.
 */
final class PlotReport {
  private static final double MEGA = 1e6;
  private static final double PERCENT = 100;
  private static final int WIDTH = 1100;
  private static final int HEIGHT = 600;
  private static final List<Target> THRESHOLDS =
      List.of(
          Target.CONTAINER_16K,
          Target.CONTAINER_64K,
          Target.CONTAINER_256K,
          Target.CONTAINER_512K,
          Target.CONTAINER_AUTO);

  /** By workload: light for the paper, dark for here. */
  private static final Color[][] COLORS = {
    {new Color(0xA6CEE3), new Color(0x1F78B4)},
    {new Color(0xB2DF8A), new Color(0x33A02C)},
    {new Color(0xFDBF6F), new Color(0xFF7F00)},
    {new Color(0xCAB2D6), new Color(0x6A3D9A)},
  };

  private final Results results;
  private final int gapMillis;

  PlotReport(final Results results, final int gapMillis) {
    this.results = results;
    this.gapMillis = gapMillis;
  }

  /** Writes {@code PREFIX-time} and {@code PREFIX-memory}, each as PNG and SVG. */
  void write(final Path prefix) throws IOException {
    save(times(), prefix + "-time");
    save(memory(), prefix + "-memory");
  }

  private static void save(final CategoryChart chart, final String name) throws IOException {
    BitmapEncoder.saveBitmap(chart, name, BitmapEncoder.BitmapFormat.PNG);
    VectorGraphicsEncoder.saveVectorGraphic(
        chart, name, VectorGraphicsEncoder.VectorGraphicsFormat.SVG);
  }

  private CategoryChart times() {
    final CategoryChart chart =
        chart("Time that ranks wait for a checkpoint", "% of plain files (POSIX, fresh)");
    addSeries(chart, this::publishedTime, this::measuredTime);
    return chart;
  }

  private OptionalDouble publishedTime(final Workload workload, final Target target) {
    final double original = Published.writeMillis(workload, Published.ORIGINAL).orElse(0);
    return map(
        Published.writeMillis(workload, target.threshold()), time -> time / original * PERCENT);
  }

  private OptionalDouble measuredTime(final Workload workload, final Target target) {
    final OptionalDouble plain = median(workload, Target.POSIX_FRESH, Series::returns);
    return plain.isEmpty()
        ? plain
        : map(
            median(workload, target, Series::returns),
            time -> time / plain.getAsDouble() * PERCENT);
  }

  private CategoryChart memory() {
    final CategoryChart chart =
        chart("Memory that holds a checkpoint's aggregated writes", "MB on a node");
    addSeries(
        chart,
        (workload, target) -> Published.memoryMegabytes(workload, target.threshold()),
        (workload, target) ->
            map(median(workload, target, Series::buffered), bytes -> bytes / MEGA));
    return chart;
  }

  private CategoryChart chart(final String title, final String unit) {
    final CategoryChart chart =
        new CategoryChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title("%s, %d ranks, %d ms apart".formatted(title, results.ranks(), gapMillis))
            .xAxisTitle("threshold")
            .yAxisTitle(unit)
            .build();
    chart.getStyler().setLegendPosition(LegendPosition.OutsideE);
    chart.getStyler().setYAxisMin(0.0);
    return chart;
  }

  private interface Value {
    OptionalDouble of(Workload workload, Target target);
  }

  private void addSeries(final CategoryChart chart, final Value paper, final Value here) {
    for (final Workload workload : workloads()) {
      final Color[] colors = COLORS[workload.ordinal()];
      addSeries(chart, workload + ", paper", workload, paper, colors[0]);
      addSeries(chart, workload + ", here", workload, here, colors[1]);
    }
  }

  /** A series without any value is left out, a single value without one is no bar. */
  private static void addSeries(
      final CategoryChart chart,
      final String name,
      final Workload workload,
      final Value value,
      final Color color) {
    final List<String> labels = new ArrayList<>();
    final List<Double> values = new ArrayList<>();
    boolean any = false;
    for (final Target target : THRESHOLDS) {
      final OptionalDouble bar = value.of(workload, target);
      any |= bar.isPresent();
      labels.add(target.threshold());
      values.add(bar.orElse(0));
    }
    if (any) {
      chart.addSeries(name, labels, values).setFillColor(color);
    }
  }

  private List<Workload> workloads() {
    return results.all().stream().map(Series::workload).distinct().toList();
  }

  private OptionalDouble median(
      final Workload workload, final Target target, final Function<Series, List<Double>> values) {
    final List<Double> measured =
        results.of(workload, target, gapMillis).map(values).orElse(List.of());
    return measured.isEmpty()
        ? OptionalDouble.empty()
        : OptionalDouble.of(Summary.of(measured).median());
  }

  private static OptionalDouble map(
      final OptionalDouble value, final Function<Double, Double> function) {
    return value.isEmpty() ? value : OptionalDouble.of(function.apply(value.getAsDouble()));
  }
}
