package org.sluice.profile.replay;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.util.Map;

/**
 * The result of one round of a replay. Times are in nanoseconds; moments are counted from the
 * start.
 *
 * @param stopped whether the user ended the replay early
 */
public record ReplayResult(
    long writes, long bytes, boolean stopped, Moments moments, Costs costs, BufferUse buffer) {
  /**
   * The course of a round.
   *
   * @param opened moment before the first file was opened
   * @param began moment at which the first write began
   * @param ended moment at which the last call returned
   * @param durable moment at which every file was on stable storage
   */
  public record Moments(long opened, long began, long ended, long durable) {}

  /**
   * The time that processes spent in a round.
   *
   * @param calls time that the slowest process spent in its calls to open, write and close
   * @param open time that the slowest process took to open its first file
   * @param iopCpu processor time of the I/O process, 0 without one
   * @param systemCalls number of system calls of all processes, -1 if not counted
   */
  public record Costs(long calls, long open, long ranksCpu, long iopCpu, long systemCalls) {}

  /**
   * The use of the buffer; nothing for plain files.
   *
   * @param left bytes in the buffer when the last call returned
   * @param peak the most bytes in the buffer at a time; 0 for a round of several
   * @param waitedSeconds time that processes waited for room in the buffer, summed; 0 likewise
   */
  public record BufferUse(long left, long peak, double waitedSeconds) {}

  /** The result of a replay that was stopped before the first write. */
  static final ReplayResult NOTHING =
      new ReplayResult(
          0, 0, true, new Moments(0, 0, 0, 0), new Costs(0, 0, 0, 0, -1), new BufferUse(0, 0, 0));

  /**
   * @param line output line of the program that replays
   * @param statistics of the I/O process; empty without one
   * @throws IOException when the line is no result
   */
  public static ReplayResult parse(final String line, final Map<String, Object> statistics)
      throws IOException {
    final Map<String, Object> fields = JSON.std.mapFrom(line);
    return new ReplayResult(
        number(fields, "writes").longValue(),
        number(fields, "bytes").longValue(),
        (Boolean) fields.get("stopped"),
        new Moments(
            number(fields, "opened").longValue(),
            number(fields, "began").longValue(),
            number(fields, "ended").longValue(),
            number(fields, "durable").longValue()),
        new Costs(
            number(fields, "calls").longValue(),
            number(fields, "open").longValue(),
            number(fields, "ranks_cpu").longValue(),
            number(fields, "iop_cpu").longValue(),
            number(fields, "system_calls").longValue()),
        new BufferUse(
            number(fields, "buffered").longValue(),
            number(statistics, "peak_buffer_bytes").longValue(),
            number(statistics, "wait_seconds").doubleValue()));
  }

  private static Number number(final Map<String, Object> fields, final String name) {
    return (Number) fields.getOrDefault(name, 0);
  }
}
