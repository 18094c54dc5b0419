package org.sluice.profile.workload;

import java.util.List;

/**
 * A bar of the published histogram of write sizes.
 *
 * @param from smallest size in bytes
 * @param to first size above, {@link Long#MAX_VALUE} for the last class
 * @param percentOfData share of the bytes
 */
record SizeClass(
    long from, long to, double percentOfWrites, double percentOfData, double percentOfTime) {
  /** Returns the histogram of LU, the only program whose histogram was published. */
  static List<SizeClass> published() {
    return Facts.rows("lu-c-64.csv").stream()
        .map(
            row ->
                new SizeClass(
                    Long.parseLong(row[0]),
                    row[1].isEmpty() ? Long.MAX_VALUE : Long.parseLong(row[1]),
                    Double.parseDouble(row[2]),
                    Double.parseDouble(row[3]),
                    Double.parseDouble(row[4])))
        .toList();
  }

  /** Returns whether the writes of the class are page runs. */
  boolean isPages() {
    return from >= WritePattern.PAGE;
  }
}
