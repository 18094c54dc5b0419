package org.sluice.iop.checkpoint;

import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The pattern of paths below the capture directory, by which a path tells the checkpoint and the
 * rank of its file.
 *
 * @param pattern of its capture groups the first that took part in the match is the number of a
 *     checkpoint, but for one called {@code rank}, which is the rank that writes the file; without
 *     any, all files that match are one checkpoint
 */
public record PathPattern(Pattern pattern) {
  private static final String RANK = "rank";
  private static final int NONE = -1;

  /** The number of the checkpoint of files whose names have none, as they are written over. */
  private static final long ONLY = 1;

  public boolean tellsRanks() {
    return rankGroup() != NONE;
  }

  public boolean tellsNumbers() {
    return pattern.matcher("").groupCount() > (tellsRanks() ? 1 : 0);
  }

  public OptionalLong number(final String path) {
    final Matcher matcher = pattern.matcher(path);
    final int rank = rankGroup();
    if (matcher.find()) {
      if (!tellsNumbers()) {
        return OptionalLong.of(ONLY);
      }
      for (int group = 1; group <= matcher.groupCount(); group++) {
        if (group != rank && matcher.group(group) != null) {
          return number(matcher, group);
        }
      }
    }
    return OptionalLong.empty();
  }

  public OptionalLong rank(final String path) {
    final Matcher matcher = pattern.matcher(path);
    final int rank = rankGroup();
    return rank == NONE || !matcher.find() || matcher.group(rank) == null
        ? OptionalLong.empty()
        : number(matcher, rank);
  }

  /** Returns the expression as the user gave it. */
  @Override
  public String toString() {
    return pattern.pattern();
  }

  private int rankGroup() {
    return pattern.namedGroups().getOrDefault(RANK, NONE);
  }

  private static OptionalLong number(final Matcher matcher, final int group) {
    try {
      return OptionalLong.of(Long.parseUnsignedLong(matcher.group(group)));
    } catch (final NumberFormatException notANumber) {
      return OptionalLong.empty();
    }
  }
}
