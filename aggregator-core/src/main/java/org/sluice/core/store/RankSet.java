package org.sluice.core.store;

import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Some ranks of a job, as {@code 0-3,8}. Immutable. */
public final class RankSet {
  /** No rank. */
  public static final RankSet NONE = new RankSet(new BitSet());

  /** More ranks than any job has; what says more is damaged. */
  private static final int MAX_RANKS = 1 << 24;

  private static final Pattern RANGE = Pattern.compile("(\\d{1,8})(?:-(\\d{1,8}))?");

  private final BitSet ranks;

  private RankSet(final BitSet ranks) {
    this.ranks = ranks;
  }

  /**
   * A set.
   *
   * @param ranks in any order; those below 0 are unknown and left out
   * @return the others
   */
  public static RankSet of(final IntStream ranks) {
    final BitSet set = new BitSet();
    ranks.filter(rank -> rank >= 0 && rank < MAX_RANKS).forEach(set::set);
    return new RankSet(set);
  }

  /**
   * Reads what {@link #toString} wrote.
   *
   * @param text ranges
   * @return empty when it is something else
   */
  public static Optional<RankSet> parse(final String text) {
    final BitSet set = new BitSet();
    for (final String range : text.isEmpty() ? new String[0] : text.split(",", -1)) {
      final Matcher match = RANGE.matcher(range);
      if (!match.matches()) {
        return Optional.empty();
      }
      final int first = Integer.parseInt(match.group(1));
      final int last = match.group(2) == null ? first : Integer.parseInt(match.group(2));
      if (last < first || last >= MAX_RANKS) {
        return Optional.empty();
      }
      set.set(first, last + 1);
    }
    return Optional.of(new RankSet(set));
  }

  /**
   * How many there are.
   *
   * @return 0 for none
   */
  public int size() {
    return ranks.cardinality();
  }

  /**
   * Whether there is none.
   *
   * @return whether its size is 0
   */
  public boolean isEmpty() {
    return ranks.isEmpty();
  }

  /**
   * Each of them.
   *
   * @return in ascending order
   */
  public List<Integer> list() {
    return ranks.stream().boxed().toList();
  }

  @Override
  public boolean equals(final Object other) {
    return other instanceof final RankSet set && set.ranks.equals(ranks);
  }

  @Override
  public int hashCode() {
    return ranks.hashCode();
  }

  @Override
  public String toString() {
    final StringJoiner ranges = new StringJoiner(",");
    for (int first = ranks.nextSetBit(0); first >= 0; ) {
      final int end = ranks.nextClearBit(first);
      ranges.add(end - first == 1 ? String.valueOf(first) : first + "-" + (end - 1));
      first = ranks.nextSetBit(end);
    }
    return ranges.toString();
  }
}
