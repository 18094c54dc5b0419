package org.sluice.bench.plot;

import java.awt.Color;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.CategorySeries.CategorySeriesRenderStyle;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.style.Styler.LegendPosition;

/** A chart of values over places, in bars or lines, as PNG and SVG. */
public final class Plot {
  private static final int WIDTH = 1100;
  private static final int HEIGHT = 600;

  private final CategoryChart chart;

  /**
   * A chart of bars.
   *
   * @param title above it
   * @param over what the places are
   * @param unit of the values
   */
  public Plot(final String title, final String over, final String unit) {
    chart =
        new CategoryChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(title)
            .xAxisTitle(over)
            .yAxisTitle(unit)
            .build();
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    chart.getStyler().setLegendPosition(LegendPosition.OutsideE);
    chart.getStyler().setYAxisMin(0.0);
  }

  /**
   * A line for each series instead.
   *
   * @return this
   */
  public Plot lines() {
    chart.getStyler().setDefaultSeriesRenderStyle(CategorySeriesRenderStyle.Line);
    chart.getStyler().setOverlapped(true); // a point of each line above the same place
    return this;
  }

  /**
   * Colours of the series, in their order.
   *
   * @param colors as many as there may be
   * @return this
   */
  public Plot colors(final Color... colors) {
    chart.getStyler().setSeriesColors(colors);
    return this;
  }

  /** Values below zero are shown. */
  public void fromLowest() {
    chart.getStyler().setYAxisMin(null);
  }

  /** For values of very different sizes. */
  public void logarithmic() {
    fromLowest();
    chart.getStyler().setYAxisLogarithmic(true);
  }

  /**
   * Adds a series. Nothing where there is no value at all.
   *
   * @param name of the series
   * @param places those of all series
   * @param value of a place; null if none
   */
  public void add(
      final String name, final List<String> places, final Function<String, Double> value) {
    final Double[] values = places.stream().map(value).toArray(Double[]::new);
    if (Arrays.stream(values).anyMatch(Objects::nonNull)) {
      chart.addSeries(name, places, Arrays.asList(values));
    }
  }

  /**
   * Writes it, unless it has no series.
   *
   * @param file without its ending
   * @throws IOException if that fails
   */
  public void save(final String file) throws IOException {
    if (!chart.getSeriesMap().isEmpty()) {
      BitmapEncoder.saveBitmap(chart, file, BitmapEncoder.BitmapFormat.PNG);
      VectorGraphicsEncoder.saveVectorGraphic(
          chart, file, VectorGraphicsEncoder.VectorGraphicsFormat.SVG);
    }
  }
}
