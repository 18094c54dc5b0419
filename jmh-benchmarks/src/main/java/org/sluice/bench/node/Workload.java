package org.sluice.bench.node;

import java.util.Locale;

/** What one process of a parallel program writes in a checkpoint. */
enum Workload {
  LU,
  BT,
  SP,
  CG;

  private static final double MEGABYTE = 1e6;

  private final long imageLength;
  private final int writes;

  Workload() {
    final String[] row =
        Facts.rows("nodes.csv").stream()
            .filter(fields -> fields[0].equals(publishedName()))
            .findFirst()
            .orElseThrow();
    final int processes = Integer.parseInt(row[1]);
    imageLength = Math.round(Double.parseDouble(row[2]) * MEGABYTE / processes);
    writes = Integer.parseInt(row[3]);
  }

  /** The name in the published tables. */
  String publishedName() {
    return name().toUpperCase(Locale.ROOT) + ".C.64";
  }

  /** Bytes of one process's image. */
  long imageLength() {
    return imageLength;
  }

  /** Writes of one process. */
  int writes() {
    return writes;
  }
}
