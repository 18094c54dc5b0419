package org.sluice.bench.node;

import java.util.List;
import java.util.Locale;
import org.sluice.profile.workload.Facts;
import org.sluice.profile.workload.Workload;

/** What the paper measured on its cluster of 2009, by threshold: 16K, 64K, 256K, 512K. */
final class Published {
  static final String ORIGINAL = "original";

  private Published() {}

  /** Milliseconds of writing a checkpoint; with {@link #ORIGINAL} without aggregation. */
  static Double writeMillis(final Workload workload, final String threshold) {
    return Facts.rows("paper-results.csv").stream()
        .filter(row -> row[0].equals(workload.publishedName()))
        .filter(row -> row[1].equalsIgnoreCase(threshold))
        .map(row -> Double.valueOf(row[3]))
        .findFirst()
        .orElse(null);
  }

  /** Megabytes of memory used for aggregation; null for what was not published. */
  static Double memoryMegabytes(final Workload workload, final String threshold) {
    final List<String> heading = Facts.heading("paper-memory.csv");
    final int column = heading.indexOf("memory_mb_" + threshold.toUpperCase(Locale.ROOT));
    return Facts.rows("paper-memory.csv").stream()
        .filter(row -> column > 0 && row[0].equals(workload.publishedName()))
        .map(row -> Double.valueOf(row[column]))
        .findFirst()
        .orElse(null);
  }
}
