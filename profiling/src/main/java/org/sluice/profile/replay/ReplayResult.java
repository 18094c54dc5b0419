package org.sluice.profile.replay;

/**
 * What a replay took.
 *
 * @param writes writes made
 * @param bytes bytes written
 * @param returnNanos how long the slowest process was in its calls to open, write and close
 * @param spanNanos from the start to the end of the last write
 * @param durableNanos from the start until every file was on stable storage
 * @param stopped whether the user ended it early
 * @param peakBuffer the most bytes in the buffer at a time, 0 for plain files
 */
public record ReplayResult(
    long writes,
    long bytes,
    long returnNanos,
    long spanNanos,
    long durableNanos,
    boolean stopped,
    long peakBuffer) {
  private static final int WORDS = 7;

  /** Reads the last line of the program that replays. */
  static ReplayResult parse(final String line, final long peakBuffer) {
    final String[] words = line.split(" ");
    if (words.length != WORDS) {
      throw new IllegalArgumentException("not a result: " + line);
    }
    return new ReplayResult(
        Long.parseLong(words[1]),
        Long.parseLong(words[2]),
        Long.parseLong(words[3]),
        Long.parseLong(words[4]),
        Long.parseLong(words[5]),
        words[6].equals("1"),
        peakBuffer);
  }
}
