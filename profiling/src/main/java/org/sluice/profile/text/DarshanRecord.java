package org.sluice.profile.text;

import java.util.Map;
import java.util.function.Consumer;
import org.sluice.profile.trace.Call;
import org.sluice.profile.trace.Origin;
import org.sluice.profile.trace.Route;
import org.sluice.profile.trace.Write;

/**
 * The counters of one process and file, and writes that would have counted the same: as many in
 * each of Darshan's size classes, with the right sum, evenly in time.
 */
final class DarshanRecord {
  private static final String[] CLASSES = {
    "0_100",
    "100_1K",
    "1K_10K",
    "10K_100K",
    "100K_1M",
    "1M_4M",
    "4M_10M",
    "10M_100M",
    "100M_1G",
    "1G_PLUS"
  };
  private static final double[] LIMITS = {
    1,
    100,
    1 << 10,
    10 << 10,
    100 << 10,
    1 << 20,
    4 << 20,
    10 << 20,
    100 << 20,
    1 << 30,
    16.0 * (1 << 30)
  };
  private static final int BISECTIONS = 60;

  private final String module;
  private final Map<String, Double> counters;
  private final long writes;
  private final long bytes;

  DarshanRecord(final String module, final Map<String, Double> counters) {
    this.module = module;
    this.counters = counters;
    writes = (long) counter("WRITES");
    bytes = (long) counter("BYTES_WRITTEN");
  }

  private double counter(final String name) {
    return Math.max(0, counters.getOrDefault(module + "_" + name, 0.0));
  }

  void estimate(
      final Origin origin, final String file, final long start, final Consumer<Write> sink) {
    final long begin = start + Math.round(counter("F_WRITE_START_TIMESTAMP") * 1e9);
    final long end = start + Math.round(counter("F_WRITE_END_TIMESTAMP") * 1e9);
    final double nanos = counter("F_WRITE_TIME") * 1e9;
    final long elsewhere = writes - 1 - (long) counter("CONSEC_WRITES");
    final double position = positionInClasses();
    long number = 0;
    long offset = 0;
    long left = bytes;
    for (int i = 0; i < CLASSES.length; i++) {
      for (long n = count(i); n > 0; n--) {
        final boolean last = ++number == writes;
        final long size = last ? left : Math.min(left, Math.round(size(i, position)));
        final long duration = Math.round(nanos * size / Math.max(bytes, 1));
        final long room = Math.max(0, end - begin - duration);
        final long time = begin + (long) (room * (number - 1.0) / Math.max(writes - 1, 1));
        offset += hasCounted("CONSEC_WRITES") && number > 1 && number <= elsewhere + 1 ? size : 0;
        sink.accept(
            new Write(
                origin,
                file,
                module.equals("STDIO") ? Call.STDIO : Call.OTHER,
                Route.UNKNOWN,
                time,
                duration,
                offset,
                size));
        offset += size;
        left -= size;
      }
    }
  }

  private boolean hasCounted(final String name) {
    return counters.containsKey(module + "_" + name);
  }

  /** Streams have no classes: all their writes get the mean size. */
  private long count(final int sizeClass) {
    return module.equals("STDIO")
        ? sizeClass == 0 ? writes : 0
        : (long) counter("SIZE_WRITE_" + CLASSES[sizeClass]);
  }

  private double size(final int sizeClass, final double position) {
    return module.equals("STDIO")
        ? (double) bytes / writes
        : LIMITS[sizeClass] * Math.pow(LIMITS[sizeClass + 1] / LIMITS[sizeClass], position);
  }

  /** How far up in its class each size is, from 0 to 1, so that they add up to the bytes. */
  private double positionInClasses() {
    double low = 0;
    double high = 1;
    for (int i = 0; i < BISECTIONS; i++) {
      final double middle = (low + high) / 2;
      double sum = 0;
      for (int c = 0; c < CLASSES.length; c++) {
        sum += count(c) * size(c, middle);
      }
      if (sum < bytes) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
