package org.sluice.profile.replay;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.util.Map;

/**
 * What one round of a replay took. Times are nanoseconds, moments are counted from the start.
 *
 * @param writes writes made
 * @param bytes bytes written
 * @param calls how long the slowest process was in its calls to open, write and close
 * @param opened when the first file was to be opened
 * @param began when the first write began
 * @param ended when the last call returned
 * @param durable when every file was on stable storage
 * @param ranksCpu processor time of all processes
 * @param iopCpu processor time of the I/O process, 0 without one
 * @param buffered bytes that were in its buffer when the last call returned
 * @param systemCalls of all processes, -1 if they were not counted
 * @param stopped whether the user ended it early
 * @param peakBuffer the most bytes in the buffer at a time; 0 for plain files, and for a round
 * @param waitedSeconds how long processes waited for room in the buffer, summed; 0 likewise
 */
public record ReplayResult(
    long writes,
    long bytes,
    long calls,
    long opened,
    long began,
    long ended,
    long durable,
    long ranksCpu,
    long iopCpu,
    long buffered,
    long systemCalls,
    boolean stopped,
    long peakBuffer,
    double waitedSeconds) {
  /** Stopped before the first write. */
  static final ReplayResult NOTHING =
      new ReplayResult(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, true, 0, 0);

  /**
   * Reads a result.
   *
   * @param line as the program that replays prints it
   * @param statistics of the I/O process; empty without one
   * @return the result
   * @throws IOException when the line is none
   */
  public static ReplayResult parse(final String line, final Map<String, Object> statistics)
      throws IOException {
    final Map<String, Object> fields = JSON.std.mapFrom(line);
    return new ReplayResult(
        number(fields, "writes").longValue(),
        number(fields, "bytes").longValue(),
        number(fields, "calls").longValue(),
        number(fields, "opened").longValue(),
        number(fields, "began").longValue(),
        number(fields, "ended").longValue(),
        number(fields, "durable").longValue(),
        number(fields, "ranks_cpu").longValue(),
        number(fields, "iop_cpu").longValue(),
        number(fields, "buffered").longValue(),
        number(fields, "system_calls").longValue(),
        (Boolean) fields.get("stopped"),
        number(statistics, "peak_buffer_bytes").longValue(),
        number(statistics, "wait_seconds").doubleValue());
  }

  private static Number number(final Map<String, Object> fields, final String name) {
    return (Number) fields.getOrDefault(name, 0);
  }
}
