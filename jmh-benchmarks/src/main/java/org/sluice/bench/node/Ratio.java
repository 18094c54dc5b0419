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
 * A figure that says how good Sluice is: the median, over the rounds, of the ratio of two systems
 * in the same round.
 *
 * @param goal the value wanted, with its direction; empty without a goal
 */
record Ratio(String name, String goal, Summary summary) {
  private static final String CONTAINER = "sluice-container-auto";
  private static final String FILES = "sluice-files-auto";

  /**
   * The number of ranks from which wake-ups and attached processes cost plain files more than the
   * copies.
   */
  private static final int MANY_RANKS = 128;

  /** The bytes of a checkpoint up to which the wake-ups of a commit are most of it. */
  private static final long SMALL = 16 << 20;

  /** The number of ranks up to which a checkpoint is of the size of the machine. */
  private static final int CORES_OF_A_NODE = 8;

  private static final double GIGA = 1e9;

  /** Returns all ratios of the series of one load with one gap. */
  static List<Ratio> of(final List<Series> series) {
    final Series any = series.getFirst();
    final String fresh = any.load().ranks() >= MANY_RANKS ? ">= 1.5" : ">= 1.0";
    final Pairs pairs = new Pairs(series, new ArrayList<>());
    pairs.add(Figure.RETURN, Storage.POSIX_FRESH, CONTAINER, fresh);
    pairs.add(Figure.RETURN, Storage.POSIX_OVERWRITE, CONTAINER, "");
    pairs.add(Figure.RETURN, CONTAINER, Storage.MEMCPY_FLOOR, "<= 1.05");
    pairs.add(Figure.LONGEST, CONTAINER, Storage.MEMCPY_FLOOR, "");
    pairs.add(Figure.DURABLE, Storage.POSIX_FRESH, CONTAINER, "");
    pairs.add(Figure.DURABLE, Storage.POSIX_OVERWRITE, CONTAINER, ">= 1.0");
    pairs.add(Figure.DURABLE, Storage.POSIX_OVERWRITE, Storage.ODIRECT_FLOOR, "");
    pairs.add(Figure.DURABLE, CONTAINER, Storage.ODIRECT_FLOOR, "<= 1.15");
    pairs.add(Figure.RETURN, Storage.POSIX_FRESH, FILES, fresh);
    pairs.add(Figure.DURABLE, Storage.POSIX_FRESH, FILES, "");
    List.of(FILES, CONTAINER).forEach(system -> pairs.addFresh(any.load(), system));
    pairs.addExtremes(CONTAINER);
    pairs.addExtremes(FILES);
    pairs.addPerGigabyte(CONTAINER, "<= 0.15");
    pairs.addPerGigabyte(FILES, "<= 0.2");
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
        final String name =
            figure.name().toLowerCase().replace('_', ' ') + ": " + above + " / " + below;
        ratios.add(new Ratio(name, goal, Summary.of(quotients)));
      }
    }

    /** Adds ratios of the checkpoints of fresh programs: what a user meets first. */
    private void addFresh(final Load load, final String system) {
      final boolean small = load.length() <= SMALL;
      final boolean crowded = small || load.ranks() > CORES_OF_A_NODE;
      final String durable = load.programs().computes() ? "<= 2.0" : small ? "<= 1.2" : "<= 1.1";
      add(Figure.FIRST_RETURN, system, Storage.POSIX_FRESH, crowded ? "<= 1.5" : "<= 1.2");
      add(Figure.FIRST_DURABLE, system, Storage.POSIX_FRESH, durable);
      add(Figure.LATER_RETURN, system, Storage.POSIX_FRESH, "<= 1.0");
      add(Figure.LATER_DURABLE, system, Storage.POSIX_FRESH, durable);
    }

    /**
     * Adds ratios to the extremes. The smallest fixed threshold is nearly all direct, the largest
     * all aggregated.
     */
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

    private void addPerGigabyte(final String label, final String goal) {
      final List<Double> seconds = find(label).map(s -> s.get(Figure.IOP_CPU)).orElse(List.of());
      if (!seconds.isEmpty()) {
        final double gigabytes = series.getFirst().load().length() / GIGA;
        ratios.add(
            new Ratio(
                "I/O process core-seconds / GB: " + label,
                goal,
                Summary.of(seconds.stream().map(each -> each / gigabytes).toList())));
      }
    }
  }
}
