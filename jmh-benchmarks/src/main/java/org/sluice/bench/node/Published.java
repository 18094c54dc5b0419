package org.sluice.bench.node;

import java.util.OptionalDouble;
import org.sluice.profile.workload.Facts;
import org.sluice.profile.workload.Workload;

/** What the paper measured on its cluster of 2009, by threshold: 16K, 64K, 256K, 512K. */
final class Published {
  static final String ORIGINAL = "original";

  private static final String THRESHOLD_COLUMN = "memory_mb_";

  private Published() {}

  /** Milliseconds of writing a checkpoint; with {@link #ORIGINAL} without aggregation. */
  static OptionalDouble writeMillis(final Workload workload, final String threshold) {
    return Facts.rows("paper-results.csv").stream()
        .filter(row -> row[0].equals(workload.publishedName()) && row[1].equals(threshold))
        .mapToDouble(row -> Double.parseDouble(row[3]))
        .findFirst();
  }

  /** Megabytes of memory used for aggregation. */
  static OptionalDouble memoryMegabytes(final Workload workload, final String threshold) {
    final int column = Facts.heading("paper-memory.csv").indexOf(THRESHOLD_COLUMN + threshold);
    return Facts.rows("paper-memory.csv").stream()
        .filter(row -> column > 0 && row[0].equals(workload.publishedName()))
        .mapToDouble(row -> Double.parseDouble(row[column]))
        .findFirst();
  }
}
