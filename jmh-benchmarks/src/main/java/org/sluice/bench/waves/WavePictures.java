package org.sluice.bench.waves;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.sluice.bench.node.Summary;
import org.sluice.bench.plot.Plot;

/**
 * Draws what {@code scripts/bench mpi} measured: what kernels and messages take more, beside what
 * was published, and the time to completion over the time between waves and over the ranks.
 */
public final class WavePictures {
  /** More ranks than cores measure scheduling. */
  private static final int MOST_RANKS = 4;

  /** What may be varied, by what pictures call it. */
  private static final Map<String, String> AXES =
      Map.of("ranks", "ranks", "interval", "seconds between checkpoints");

  private final List<Map<String, Object>> figures;
  private final List<Map<String, Object>> verdicts;
  private final String prefix;

  private WavePictures(final Map<String, Object> measured, final String prefix) {
    figures = objects(measured.get("figures"));
    verdicts = objects(measured.get("verdicts"));
    this.prefix = prefix;
  }

  /**
   * Writes all pictures there are.
   *
   * @param arguments the JSON of figures and verdicts, that of the papers, and what files begin
   *     with
   * @throws IOException if a file cannot be read or written
   */
  public static void main(final String[] arguments) throws IOException {
    final WavePictures pictures = new WavePictures(read(arguments[0]), arguments[2]);
    pictures.drawMore("npb", "kernel", published(read(arguments[1])));
    pictures.drawMore("pingpong", "message", null);
    final List<Map<String, Object>> waves =
        pictures.figures.stream()
            .filter(f -> f.get("part").equals("waves") && number(f, "ranks") <= MOST_RANKS)
            .toList();
    for (final String ranks : distinct(waves, "ranks")) {
      pictures.drawCompletion(waves, "ranks", ranks, "interval");
    }
    for (final String interval : places(waves, "interval")) {
      pictures.drawCompletion(waves, "interval", interval, "ranks");
    }
  }

  private static Map<String, Object> read(final String file) throws IOException {
    return JSON.std.mapFrom(Files.readString(Path.of(file)));
  }

  /** What the runs without checkpoints of the C3 paper took more at most, in per cent. */
  private static Double published(final Map<String, Object> papers) {
    return objects(papers.get("said")).stream()
        .filter(said -> said.containsKey("percent"))
        .map(said -> number(said, "percent"))
        .findFirst()
        .orElseThrow();
  }

  private void drawMore(final String part, final String over, final Double paper)
      throws IOException {
    final List<Map<String, Object>> some =
        verdicts.stream().filter(verdict -> verdict.get("part").equals(part)).toList();
    final List<String> places = distinct(some, "what");
    final Plot plot = new Plot("What it takes longer than without Sluice", over, "% more");
    plot.fromLowest();
    for (final String kind : distinct(some, "kind")) {
      plot.add(
          kind,
          places,
          place -> median(some, v -> is(v, "what", place) && is(v, "kind", kind), "median"));
    }
    if (paper != null && !some.isEmpty()) {
      plot.add("C3's paper, at most", places, place -> paper);
    }
    plot.save(prefix + "-" + part);
  }

  /** A line for each kind, over one of both, where the other one is fixed. */
  private void drawCompletion(
      final List<Map<String, Object>> waves,
      final String fixed,
      final String value,
      final String over)
      throws IOException {
    final List<String> places = places(waves, over);
    final Plot plot =
        new Plot(
                "Time to completion, %s: %s".formatted(AXES.get(fixed), value), AXES.get(over), "s")
            .lines();
    for (final String kind : distinct(waves, "kind")) {
      plot.add(
          kind,
          places,
          place ->
              median(
                  waves,
                  f -> is(f, "kind", kind) && at(f, fixed, value) && at(f, over, place),
                  "seconds"));
    }
    plot.save("%s-%s-%s".formatted(prefix, fixed, value));
  }

  private static boolean is(
      final Map<String, Object> figure, final String name, final String value) {
    return value.equals(String.valueOf(figure.get(name)));
  }

  /** Undisturbed there is no interval: so it is the same at all of them. */
  private static boolean at(
      final Map<String, Object> figure, final String name, final String value) {
    return is(figure, name, value) || name.equals("interval") && is(figure, "kind", "none");
  }

  private static Double median(
      final List<Map<String, Object>> figures,
      final Predicate<Map<String, Object>> which,
      final String name) {
    final List<Double> values =
        figures.stream().filter(which).map(figure -> number(figure, name)).toList();
    return values.isEmpty() ? null : Summary.of(values).median();
  }

  private static double number(final Map<String, Object> figure, final String name) {
    return ((Number) figure.get(name)).doubleValue();
  }

  private static List<String> distinct(final List<Map<String, Object>> figures, final String name) {
    return figures.stream().map(figure -> String.valueOf(figure.get(name))).distinct().toList();
  }

  private static List<String> places(final List<Map<String, Object>> waves, final String over) {
    return distinct(waves, over).stream()
        .filter(place -> !place.equals("0"))
        .sorted(Comparator.comparing(Integer::valueOf))
        .toList();
  }

  @SuppressWarnings("unchecked")
  private static List<Map<String, Object>> objects(final Object list) {
    return (List<Map<String, Object>>) list;
  }
}
