package org.sluice.bench.node;

import java.util.Collection;
import org.sluice.core.command.JsonObject;

/**
 * The summary of several measurements of one figure.
 *
 * @param median the middle one, or the mean of the two in the middle
 */
record Summary(double median, double min, double max) {
  static Summary of(final Collection<Double> values) {
    final double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    final int half = sorted.length / 2;
    final double median =
        sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    return new Summary(median, sorted[0], sorted[sorted.length - 1]);
  }

  JsonObject toJson() {
    return new JsonObject()
        .with("median", rounded(median))
        .with("min", rounded(min))
        .with("max", rounded(max));
  }

  /** Rounds to a thousandth: of a millisecond, the precision of the clock. */
  static double rounded(final double value) {
    return Math.round(value * 1000) / 1000.0;
  }
}
