package org.sluice.bench.node;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import org.sluice.bench.plot.Plot;
import org.sluice.core.command.SizeConverter;
import org.sluice.profile.workload.Workload;

/**
 * What a sweep measured, over what it varied. Where that is nothing but the threshold, what was
 * published is drawn beside; the machines differ too much to compare milliseconds, so times are
 * percentages of what plain files take on each.
 */
final class Picture {
  private static final double PERCENT = 100;

  /** Times of such different sizes need a logarithmic scale. */
  private static final double LOGARITHMIC_FROM = 20;

  /** In pairs: light for the paper, dark for here. */
  private static final Color[] PAIRS = {
    new Color(0xA6CEE3), new Color(0x1F78B4), new Color(0xB2DF8A), new Color(0x33A02C),
    new Color(0xFDBF6F), new Color(0xFF7F00), new Color(0xCAB2D6), new Color(0x6A3D9A),
  };

  /** What may be varied, by what pictures call it. */
  private static final Map<String, Function<Series, String>> AXES = new LinkedHashMap<>();

  static {
    AXES.put("ranks", series -> Integer.toString(series.load().ranks()));
    AXES.put("bytes of a checkpoint", series -> size(series.load().length()));
    AXES.put("buffer", series -> size(series.load().room()));
    AXES.put("ms between checkpoints", series -> Integer.toString(series.gapMillis()));
  }

  private final List<Series> all;

  Picture(final List<Series> all) {
    this.all = all;
  }

  private static String size(final long bytes) {
    return SizeConverter.format(bytes).replace(".0", "");
  }

  /** Writes all pictures there are, each as PNG and SVG. */
  void write(final Path prefix) throws IOException {
    boolean varied = false;
    for (final String workload : distinct(all, series -> series.load().workload())) {
      final List<Series> some = of(all, series -> series.load().workload().equals(workload));
      final List<Map.Entry<String, Function<Series, String>>> axes =
          AXES.entrySet().stream()
              .filter(axis -> distinct(some, axis.getValue()).size() > 1)
              .toList();
      if (!axes.isEmpty()) {
        varied = true;
        drawOver(axes, prefix + "-" + workload, workload, some);
      }
    }
    if (!varied) {
      draw(
          prefix + "-time",
          thresholds("Time that ranks wait", "% of plain files"),
          this::publishedTime,
          this::time);
      draw(
          prefix + "-memory",
          thresholds("Memory that holds a checkpoint's aggregated writes", "MB on a node"),
          Published::memoryMegabytes,
          (workload, threshold) -> median(container(workload, threshold), Figure.BUFFERED));
    }
  }

  /** A line for each system, and for each value of what varies besides the first. */
  private static void drawOver(
      final List<Map.Entry<String, Function<Series, String>>> axes,
      final String prefix,
      final String workload,
      final List<Series> all)
      throws IOException {
    final Map.Entry<String, Function<Series, String>> axis = axes.getFirst();
    final List<String> places = distinct(all, axis.getValue());
    final Function<Series, String> name = series -> label(series, axes.subList(1, axes.size()));
    for (final Figure figure : List.of(Figure.RETURN, Figure.DURABLE)) {
      final List<Series> some = of(all, series -> !series.get(figure).isEmpty());
      if (some.isEmpty()) {
        continue;
      }
      final String what = figure.name().toLowerCase(Locale.ROOT);
      final Plot plot = new Plot(workload + ": " + what, axis.getKey(), "ms").lines();
      for (final String label : distinct(some, name)) {
        final List<Series> line = of(some, series -> name.apply(series).equals(label));
        plot.add(
            label,
            places,
            place -> median(of(line, s -> axis.getValue().apply(s).equals(place)), figure));
      }
      final DoubleSummaryStatistics range =
          some.stream()
              .mapToDouble(series -> Summary.of(series.get(figure)).median())
              .summaryStatistics();
      if (range.getMax() > LOGARITHMIC_FROM * range.getMin()) {
        plot.logarithmic();
      }
      plot.save(prefix + "-" + what);
    }
  }

  private static String label(
      final Series series, final List<Map.Entry<String, Function<Series, String>>> axes) {
    final StringBuilder label = new StringBuilder(series.storage().label());
    axes.forEach(
        a -> label.append(", ").append(a.getValue().apply(series)).append(' ').append(a.getKey()));
    return label.toString();
  }

  private Plot thresholds(final String what, final String unit) {
    final Series any = all.getFirst();
    return new Plot(
            "%s, %d ranks, %d ms apart".formatted(what, any.load().ranks(), any.gapMillis()),
            "threshold",
            unit)
        .colors(PAIRS);
  }

  /** Two bars for each threshold and workload: of the paper, and of here. */
  private void draw(
      final String file,
      final Plot plot,
      final BiFunction<Workload, String, Double> paper,
      final BiFunction<Workload, String, Double> here)
      throws IOException {
    final List<String> thresholds =
        distinct(
            of(all, series -> series.storage().isContainer()),
            series -> series.storage().threshold());
    for (final String name : distinct(all, series -> series.load().workload())) {
      final Workload workload = Workload.valueOf(name);
      plot.add(workload + ", paper", thresholds, t -> paper.apply(workload, t));
      plot.add(workload + ", here", thresholds, t -> here.apply(workload, t));
    }
    plot.save(file);
  }

  private Double publishedTime(final Workload workload, final String threshold) {
    final Double original = Published.writeMillis(workload, Published.ORIGINAL);
    final Double time = Published.writeMillis(workload, threshold);
    return time == null ? null : time / original * PERCENT;
  }

  private Double time(final Workload workload, final String threshold) {
    final Double time = median(container(workload, threshold), Figure.RETURN);
    final Double plain =
        median(
            of(
                all,
                series ->
                    series.load().workload().equals(workload.name())
                        && series.storage().label().equals(Storage.POSIX_FRESH)),
            Figure.RETURN);
    return time == null || plain == null ? null : time / plain * PERCENT;
  }

  private List<Series> container(final Workload workload, final String threshold) {
    return of(
        all,
        series ->
            series.load().workload().equals(workload.name())
                && series.storage().isContainer()
                && series.storage().threshold().equals(threshold));
  }

  private static List<Series> of(final List<Series> all, final Predicate<Series> which) {
    return all.stream().filter(which).toList();
  }

  /** Of the first that has the figure; null if none has. */
  private static Double median(final List<Series> some, final Figure figure) {
    return some.stream()
        .map(series -> series.get(figure))
        .filter(values -> !values.isEmpty())
        .map(values -> Summary.of(values).median())
        .findFirst()
        .orElse(null);
  }

  private static List<String> distinct(
      final List<Series> some, final Function<Series, String> what) {
    return some.stream().map(what).distinct().toList();
  }
}
