package org.sluice.bench.node;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A sweep over all storage systems side by side, one load after the other: one round of each
 * system, then the next round.
 */
@FunctionalInterface
interface Sweep {
  /** {@return a series for each gap and system, in this order} */
  List<Series> run(Load load, Path home) throws IOException, InterruptedException;
}
