package org.sluice.iop.checkpoint;

import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which files are one checkpoint.
 *
 * @param pattern its first capture group is the checkpoint's number, in a path below the capture
 *     directory
 * @param writers how many ranks of this node write a checkpoint, 0 for all
 * @param filesPerRank how many files of it each of them writes at least, from 1
 */
public record Grouping(Pattern pattern, int writers, int filesPerRank) {
  /** The checkpoint that a path names; empty for none. */
  OptionalLong number(final String path) {
    final Matcher matcher = pattern.matcher(path);
    if (!matcher.find() || matcher.groupCount() < 1 || matcher.group(1) == null) {
      return OptionalLong.empty();
    }
    try {
      return OptionalLong.of(Long.parseUnsignedLong(matcher.group(1)));
    } catch (final NumberFormatException notANumber) {
      return OptionalLong.empty();
    }
  }
}
