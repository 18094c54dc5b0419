package org.sluice.iop.checkpoint;

import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which files are one checkpoint.
 *
 * @param pattern its first capture group is the checkpoint's number, in a path below the capture
 *     directory, but for one called {@code rank}, which is the rank that writes the file
 * @param writers how many ranks of this node write a checkpoint, 0 for all
 * @param filesPerRank how many files of it each of them writes at least, from 1
 */
public record Grouping(Pattern pattern, int writers, int filesPerRank) {
  private static final String RANK = "rank";
  private static final int NONE = -1;

  /**
   * Whether the pattern says which rank writes a file.
   *
   * @return whether it has a group of that name
   */
  public boolean tellsRanks() {
    return rankGroup() != NONE;
  }

  /**
   * Whether the pattern says which checkpoint a file belongs to.
   *
   * @return whether it has a group for that
   */
  public boolean tellsNumbers() {
    return numberGroup() <= pattern.matcher("").groupCount();
  }

  /** The checkpoint that a path names; empty for none. */
  OptionalLong number(final String path) {
    return value(path, numberGroup());
  }

  /** The rank that a path names; empty for none. */
  OptionalLong rank(final String path) {
    return value(path, rankGroup());
  }

  private int rankGroup() {
    return pattern.namedGroups().getOrDefault(RANK, NONE);
  }

  private int numberGroup() {
    return rankGroup() == 1 ? 2 : 1;
  }

  private OptionalLong value(final String path, final int group) {
    final Matcher matcher = pattern.matcher(path);
    if (group == NONE
        || !matcher.find()
        || matcher.groupCount() < group
        || matcher.group(group) == null) {
      return OptionalLong.empty();
    }
    try {
      return OptionalLong.of(Long.parseUnsignedLong(matcher.group(group)));
    } catch (final NumberFormatException notANumber) {
      return OptionalLong.empty();
    }
  }
}
