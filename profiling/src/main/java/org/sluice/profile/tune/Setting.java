package org.sluice.profile.tune;

import org.sluice.core.command.JsonObject;
import org.sluice.core.command.SizeConverter;

/**
 * A choice of threshold and buffer.
 *
 * @param threshold writes of this size or more go direct; {@link Long#MAX_VALUE} for none
 * @param buffer bytes of shared memory, 0 for no aggregation at all
 */
record Setting(long threshold, long buffer) {
  static final Setting PLAIN = new Setting(0, 0);

  String thresholdOption() {
    return threshold == Long.MAX_VALUE ? "auto" : "fixed:" + size(threshold);
  }

  String bufferText() {
    return size(buffer);
  }

  /** Plain writes have no threshold and no buffer. */
  JsonObject members() {
    final boolean aggregates = !equals(PLAIN);
    return new JsonObject()
        .with("threshold", aggregates && threshold < Long.MAX_VALUE ? threshold : null)
        .with("threshold_option", aggregates ? thresholdOption() : null)
        .with("buffer", aggregates ? buffer : null);
  }

  private static String size(final long bytes) {
    return SizeConverter.format(bytes).replace(".0", "");
  }
}
