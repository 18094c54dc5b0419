package org.sluice.iop.checkpoint;

import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a path below the capture directory tells of its file.
 *
 * @param pattern its first capture group is the number of a checkpoint, but for one called {@code
 *     rank}, which is the rank that writes the file
 */
public record PathPattern(Pattern pattern) {
  private static final String RANK = "rank";
  private static final int NONE = -1;

  /**
   * Whether it says which rank writes a file.
   *
   * @return whether it has a group of that name
   */
  public boolean tellsRanks() {
    return rankGroup() != NONE;
  }

  /**
   * Whether it says which checkpoint a file belongs to.
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
