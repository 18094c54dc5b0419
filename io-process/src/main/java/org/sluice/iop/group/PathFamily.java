package org.sluice.iop.group;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A family of paths that are the same but for their numbers. The class tells of each number whether
 * it is the rank of the file's writer, whether it grows, and whether it goes back. Not thread-safe.
 */
final class PathFamily {
  private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");

  /** A name whose end is a file extension with digits, such as {@code .h5}. */
  private static final Pattern FORMAT = Pattern.compile(".*\\.[A-Za-z]+");

  /** Words before the number of a checkpoint's part, such as {@code rank}. */
  private static final Pattern PART =
      Pattern.compile(
          "(?:.*[^a-z])?(?:rank|proc|process|processor|pe|worker|thread|shard)[-_.]?",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  /** The number of values from which on more values tell nothing new. */
  private static final int MOST_VALUES = 10_000;

  private static final int NONE = -1;

  private final List<String> literals = new ArrayList<>();
  private final List<Place> places = new ArrayList<>();
  private final Set<Integer> ranks = new HashSet<>();
  private final String example;

  /** A number of the paths. */
  private static final class Place {
    private final String first;

    /** The values that each rank wrote, by order, since files may be looked at in another order. */
    private final Map<Integer, NavigableMap<Integer, Long>> written = new HashMap<>();

    private final Map<Long, Integer> values = new HashMap<>();
    private boolean ofRank = true;
    private boolean backward;
    private boolean shared;

    private Place(final String first) {
      this.first = first;
    }

    private void see(final long value, final int rank, final int order) {
      final NavigableMap<Integer, Long> its = written.computeIfAbsent(rank, any -> new TreeMap<>());
      final Map.Entry<Integer, Long> before = its.lowerEntry(order);
      final Map.Entry<Integer, Long> behind = its.higherEntry(order);
      its.put(order, value);
      ofRank &= value == rank;
      backward |= before != null && value < before.getValue();
      backward |= behind != null && value > behind.getValue();
      if (values.size() < MOST_VALUES) {
        final Integer other = values.putIfAbsent(value, rank);
        shared |= other != null && other != rank;
      }
    }

    private boolean grows() {
      return values.size() > 1 && !backward;
    }
  }

  PathFamily(final String example) {
    this.example = example;
    final Matcher matcher = NUMBER.matcher(example);
    int end = 0;
    while (matcher.find()) {
      literals.add(example.substring(end, matcher.start()));
      places.add(new Place(matcher.group()));
      end = matcher.end();
    }
    literals.add(example.substring(end));
  }

  /** Returns the key that all paths of a family have in common. */
  static String key(final String path) {
    return NUMBER.matcher(path).replaceAll("\0");
  }

  /**
   * @param rank rank of the writer; the same for all where no launcher gave ranks
   * @param order number that ascends in the order in which files came
   */
  void see(final String path, final int rank, final int order) {
    ranks.add(rank);
    final Matcher matcher = NUMBER.matcher(path);
    for (final Place place : places) {
      matcher.find();
      place.see(Long.parseLong(matcher.group()), rank, order);
    }
  }

  String example() {
    return example;
  }

  int ranks() {
    return ranks.size();
  }

  /** Returns the index of the number that is each writer's rank; -1 for none. */
  int rankPlace() {
    for (int i = 0; i < places.size(); i++) {
      if (places.get(i).ofRank) {
        return i;
      }
    }
    return NONE;
  }

  /**
   * Returns the indexes of the numbers that may be those of checkpoints.
   *
   * @param ranked whether to leave out a number that equals the writer's rank
   */
  List<Integer> candidates(final boolean ranked) {
    final List<Integer> all = new ArrayList<>();
    for (int i = 0; i < places.size(); i++) {
      final Place place = places.get(i);
      final boolean other = ranked && place.ofRank || isFormat(i) && !place.grows();
      if (!place.backward && !other && !PART.matcher(literals.get(i)).matches()) {
        all.add(i);
      }
    }
    return all;
  }

  private boolean isFormat(final int i) {
    return i == places.size() - 1
        && literals.get(i + 1).isEmpty()
        && FORMAT.matcher(literals.get(i)).matches();
  }

  boolean grows(final int place) {
    return places.get(place).grows();
  }

  /** Returns whether two ranks wrote files with the same value of a number. */
  boolean isShared(final int place) {
    return places.get(place).shared;
  }

  Set<Long> values(final int place) {
    return places.get(place).values.keySet();
  }

  int numbers() {
    return places.size();
  }

  /** Returns the literal before a number, or behind the last one. */
  String literal(final int before) {
    return literals.get(before);
  }

  boolean isOfRank(final int place) {
    return places.get(place).ofRank;
  }

  /** Returns the text of a number that is the same in all paths; empty otherwise. */
  Optional<String> constant(final int place) {
    return Optional.of(places.get(place))
        .filter(its -> its.values.size() == 1)
        .map(its -> its.first);
  }
}
