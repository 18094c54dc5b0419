package org.sluice.bench.node;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.sluice.core.command.JsonObject;
import org.sluice.core.command.SizeConverter;

/**
 * A figure that says how good Sluice is: the median, over the rounds, of what two systems took in
 * the same round.
 *
 * @param name what is divided by what
 * @param goal the value wanted, with its direction; empty without one
 * @param summary of the rounds
 */
record Ratio(String name, String goal, Summary summary) {
  private static final String CONTAINER = "sluice-container-auto";
  private static final String FILES = "sluice-files-auto";
  private static final int LONG_GAP = 1000;
  private static final double GIGA = 1e9;

  /** All that can be formed of the series of one load with one gap. */
  static List<Ratio> of(final List<Series> series) {
    final Series any = series.getFirst();
    final String fresh = any.gapMillis() >= LONG_GAP ? ">= 14" : ">= 4.5";
    final String direct = any.load().length() > any.load().room() ? "<= 1.15" : "<= 1.3";
    final Pairs pairs = new Pairs(series, new ArrayList<>());
    pairs.add(Figure.RETURN, Storage.POSIX_FRESH, CONTAINER, fresh);
    pairs.add(Figure.RETURN, Storage.POSIX_OVERWRITE, CONTAINER, ">= 2.2");
    pairs.add(Figure.RETURN, CONTAINER, Storage.MEMCPY_FLOOR, "<= 1.15");
    pairs.add(Figure.DURABLE, Storage.POSIX_FRESH, CONTAINER, ">= 2.5");
    pairs.add(Figure.DURABLE, Storage.POSIX_OVERWRITE, CONTAINER, ">= 1.5");
    pairs.add(Figure.DURABLE, CONTAINER, Storage.ODIRECT_FLOOR, direct);
    pairs.add(Figure.RETURN, Storage.POSIX_FRESH, FILES, fresh);
    pairs.add(Figure.DURABLE, Storage.POSIX_FRESH, FILES, ">= 1.3");
    pairs.addExtremes(CONTAINER);
    pairs.addExtremes(FILES);
    pairs.addPerGigabyte(CONTAINER);
    pairs.addPerGigabyte(FILES);
    return pairs.ratios;
  }

  JsonObject toJson() {
    return new JsonObject().with("name", name).with("wanted", goal).with(summary.toJson());
  }

  private record Pairs(List<Series> series, List<Ratio> ratios) {
    private Optional<Series> find(final String label) {
      return series.stream().filter(s -> s.storage().label().equals(label)).findFirst();
    }

    private void add(
        final Figure figure, final String above, final String below, final String goal) {
      final List<Double> over = find(above).map(s -> s.get(figure)).orElse(List.of());
      final List<Double> under = find(below).map(s -> s.get(figure)).orElse(List.of());
      if (!over.isEmpty() && !under.isEmpty()) {
        final List<Double> quotients =
            IntStream.range(0, over.size()).mapToObj(i -> over.get(i) / under.get(i)).toList();
        final String name = figure.name().toLowerCase() + ": " + above + " / " + below;
        ratios.add(new Ratio(name, goal, Summary.of(quotients)));
      }
    }

    /** The smallest fixed threshold is nearly all direct, the largest all aggregated. */
    private void addExtremes(final String auto) {
      final List<Storage> fixed =
          find(auto).stream()
              .flatMap(found -> sameLayout(found.storage()))
              .sorted(Comparator.comparingLong(s -> new SizeConverter().convert(s.threshold())))
              .toList();
      if (!fixed.isEmpty()) {
        add(Figure.RETURN, auto, fixed.getFirst().label(), "");
      }
      if (fixed.size() > 1) {
        add(Figure.RETURN, auto, fixed.getLast().label(), "");
      }
    }

    private Stream<Storage> sameLayout(final Storage auto) {
      return series.stream()
          .map(Series::storage)
          .filter(other -> other.layout().equals(auto.layout()) && !other.equals(auto));
    }

    private void addPerGigabyte(final String label) {
      final List<Double> seconds = find(label).map(s -> s.get(Figure.IOP_CPU)).orElse(List.of());
      if (!seconds.isEmpty()) {
        final double gigabytes = series.getFirst().load().length() / GIGA;
        ratios.add(
            new Ratio(
                "I/O process core-seconds / GB: " + label,
                "<= 0.15",
                Summary.of(seconds.stream().map(each -> each / gigabytes).toList())));
      }
    }
  }
}
