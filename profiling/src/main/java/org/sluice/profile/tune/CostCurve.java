package org.sluice.profile.tune;

import java.util.Map;
import java.util.TreeMap;

/**
 * What a write costs by its size: measured at a few sizes; between them the cost goes with a power
 * of the size, beyond the last with the size itself.
 */
final class CostCurve {
  private final TreeMap<Long, Double> points = new TreeMap<>();

  void add(final long size, final double nanos) {
    points.put(size, nanos);
  }

  Map<Long, Double> points() {
    return points;
  }

  double nanos(final long size) {
    final Map.Entry<Long, Double> below = points.floorEntry(size);
    final Map.Entry<Long, Double> above = points.higherEntry(size);
    if (below == null) {
      return above.getValue();
    }
    if (above == null) {
      return below.getValue() * size / below.getKey();
    }
    final double part =
        Math.log((double) size / below.getKey())
            / Math.log((double) above.getKey() / below.getKey());
    return below.getValue() * Math.pow(above.getValue() / below.getValue(), part);
  }
}
