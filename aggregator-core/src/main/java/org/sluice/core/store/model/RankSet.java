package org.sluice.core.store.model;

import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** A set of ranks of a job, as {@code 0-3,8}, or with every tenth as {@code 0-90+10}. Immutable. */
public final class RankSet {
  /** No rank. */
  public static final RankSet NONE = new RankSet(new BitSet());

  /** The most ranks of any job; a text with more is damaged. */
  private static final int MAX_RANKS = 1 << 24;

  private static final Pattern RANGE =
      Pattern.compile("(\\d{1,8})(?:-(\\d{1,8})(?:\\+(\\d{1,8}))?)?");

  private final BitSet ranks;

  private RankSet(final BitSet ranks) {
    this.ranks = ranks;
  }

  /** The union of the ranks of many nodes, of which no two have one in common. Not thread-safe. */
  public static final class Union {
    private final BitSet all = new BitSet();

    /** Adds the ranks of a node; false when another node has one of them. */
    public boolean add(final RankSet node) {
      for (int first = node.ranks.nextSetBit(0); first >= 0; ) {
        final int end = node.ranks.nextClearBit(first);
        final int taken = all.nextSetBit(first);
        if (taken >= 0 && taken < end) {
          return false;
        }
        all.set(first, end);
        first = node.ranks.nextSetBit(end);
      }
      return true;
    }

    public RankSet ranks() {
      return new RankSet((BitSet) all.clone());
    }
  }

  /**
   * @param ranks ranks in any order; those below 0 are unknown and left out
   */
  public static RankSet of(final IntStream ranks) {
    final BitSet set = new BitSet();
    ranks.filter(rank -> rank >= 0 && rank < MAX_RANKS).forEach(set::set);
    return new RankSet(set);
  }

  /** Reads a text of {@link #toString} or {@link #compact}. */
  public static Optional<RankSet> parse(final String text) {
    final BitSet set = new BitSet();
    int left = MAX_RANKS; // a short text can name the same ranks again and again
    for (final String range : text.isEmpty() ? new String[0] : text.split(",", -1)) {
      final Matcher match = RANGE.matcher(range);
      if (!match.matches()) {
        return Optional.empty();
      }
      final int first = Integer.parseInt(match.group(1));
      final int last = match.group(2) == null ? first : Integer.parseInt(match.group(2));
      final int step = match.group(3) == null ? 1 : Integer.parseInt(match.group(3));
      if (last < first || last >= MAX_RANKS || step == 0) {
        return Optional.empty();
      }
      left -= (last - first) / step + 1;
      if (left < 0) {
        return Optional.empty();
      }
      if (step == 1) {
        set.set(first, last + 1);
      }
      for (int rank = first; step > 1 && rank <= last; rank += step) {
        set.set(rank);
      }
    }
    return Optional.of(new RankSet(set));
  }

  public int size() {
    return ranks.cardinality();
  }

  public boolean isEmpty() {
    return ranks.isEmpty();
  }

  /** Returns whether these are all ranks of a job. */
  public boolean covers(final int count) {
    return ranks.nextClearBit(0) >= count;
  }

  /** Returns the ranks of a job that are not here. */
  public RankSet missing(final int count) {
    final BitSet others = new BitSet();
    others.set(0, count);
    others.andNot(ranks);
    return new RankSet(others);
  }

  /** Returns the ranks that are here and not in another set. */
  public RankSet without(final RankSet others) {
    final BitSet rest = (BitSet) ranks.clone();
    rest.andNot(others.ranks);
    return new RankSet(rest);
  }

  public boolean intersects(final RankSet others) {
    return ranks.intersects(others.ranks);
  }

  public RankSet with(final RankSet others) {
    final BitSet union = (BitSet) ranks.clone();
    union.or(others.ranks);
    return new RankSet(union);
  }

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

  /** Returns the shorter text of ranks that were dealt to nodes in turn. */
  public String compact() {
    final StringJoiner ranges = new StringJoiner(",");
    for (int first = ranks.nextSetBit(0); first >= 0; ) {
      final int second = ranks.nextSetBit(first + 1);
      int last = first;
      for (int next = second; next >= 0 && next == last + second - first; ) {
        last = next;
        next = ranks.nextSetBit(last + 1);
      }
      if (last > second && second - first > 1) {
        ranges.add(first + "-" + last + "+" + (second - first));
      } else {
        last = ranks.nextClearBit(first) - 1;
        ranges.add(first == last ? String.valueOf(first) : first + "-" + last);
      }
      first = ranks.nextSetBit(last + 1);
    }
    return ranges.toString();
  }
}
