package org.sluice.bench.node;

import java.awt.Color;
import java.io.IOException;
import java.util.List;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.lines.SeriesLines;

/** A plot of milliseconds over something that doubles from one tick to the next. */
final class Chart {
  private static final int WIDTH = 1000;
  private static final int HEIGHT = 600;
  private static final int TICK_SPACING = 80;

  private final XYChart chart;

  Chart(final String title, final String unit) {
    chart =
        new XYChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(title)
            .xAxisTitle(unit)
            .yAxisTitle("ms")
            .build();
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    chart.getStyler().setxAxisTickLabelsFormattingFunction(x -> "%.0f".formatted(Math.pow(2, x)));
    chart.getStyler().setXAxisTickMarkSpacingHint(TICK_SPACING);
    chart.getStyler().setYAxisMin(0.0);
    chart.getStyler().setLegendPosition(LegendPosition.OutsideE);
  }

  /** For values from milliseconds to minutes. */
  void logarithmic() {
    chart.getStyler().setYAxisMin(null);
    chart.getStyler().setYAxisLogarithmic(true);
  }

  /** Adds a line. */
  void add(final String name, final List<Long> over, final List<Double> millis) {
    series(name, over, millis);
  }

  /** Adds a line of a colour that others have, too. */
  void add(
      final String name,
      final List<Long> over,
      final List<Double> millis,
      final Color color,
      final boolean dashed) {
    final XYSeries series = series(name, over, millis);
    series.setMarkerColor(color);
    series.setLineColor(color);
    series.setLineStyle(dashed ? SeriesLines.DASH_DASH : SeriesLines.SOLID);
  }

  private XYSeries series(final String name, final List<Long> over, final List<Double> millis) {
    final List<Double> doublings = over.stream().map(x -> Math.log(x) / Math.log(2)).toList();
    return chart.addSeries(name, doublings, millis);
  }

  /** Writes it as {@code NAME.png} and {@code NAME.svg}. */
  void save(final String name) throws IOException {
    BitmapEncoder.saveBitmap(chart, name, BitmapEncoder.BitmapFormat.PNG);
    VectorGraphicsEncoder.saveVectorGraphic(
        chart, name, VectorGraphicsEncoder.VectorGraphicsFormat.SVG);
  }
}
