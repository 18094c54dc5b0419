package org.sluice.bench.node;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.util.Map;

/**
 * What the node program measured of one checkpoint. Times are seconds.
 *
 * @param open from the first open to the first write
 * @param untilReturn from the first write to the last close
 * @param untilDurable from the first write until everything was on stable storage
 * @param ranksCpu processor time of the ranks
 * @param iopCpu processor time of the I/O process until everything was on stable storage
 * @param buffered bytes of the I/O process's buffer that were taken at the last close
 * @param systemCalls of all ranks, -1 if they were not counted
 */
record Sample(
    double open,
    double untilReturn,
    double untilDurable,
    double ranksCpu,
    double iopCpu,
    long buffered,
    long systemCalls) {
  private static final double SECOND = 1e9;

  static Sample parse(final String line) throws IOException {
    final Map<String, Object> fields = JSON.std.mapFrom(line);
    return new Sample(
        seconds(fields, "open"),
        seconds(fields, "return"),
        seconds(fields, "durable"),
        seconds(fields, "ranks_cpu"),
        seconds(fields, "iop_cpu"),
        ((Number) fields.get("buffered")).longValue(),
        ((Number) fields.get("system_calls")).longValue());
  }

  private static double seconds(final Map<String, Object> fields, final String name) {
    return ((Number) fields.get(name)).longValue() / SECOND;
  }
}
