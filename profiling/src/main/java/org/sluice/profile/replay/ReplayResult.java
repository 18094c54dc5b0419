package org.sluice.profile.replay;

import java.util.Map;

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
 * @param waitedSeconds how long processes waited for room in the buffer, summed
 */
public record ReplayResult(
    long writes,
    long bytes,
    long returnNanos,
    long spanNanos,
    long durableNanos,
    boolean stopped,
    long peakBuffer,
    double waitedSeconds) {
  /** Stopped before the first write. */
  static final ReplayResult NOTHING = new ReplayResult(0, 0, 0, 0, 0, true, 0, 0);

  private static final int WORDS = 7;

  /** Reads the last line of the program that replays, and the statistics of an I/O process. */
  static ReplayResult parse(final String line, final Map<String, Object> statistics) {
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
        number(statistics, "peak_buffer_bytes").longValue(),
        number(statistics, "wait_seconds").doubleValue());
  }

  private static Number number(final Map<String, Object> statistics, final String name) {
    return (Number) statistics.getOrDefault(name, 0);
  }
}
