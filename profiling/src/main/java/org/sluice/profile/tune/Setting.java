package org.sluice.profile.tune;

import org.sluice.core.command.SizeConverter;

/**
 * A choice.
 *
 * @param threshold writes of this size or more go direct; {@link Long#MAX_VALUE} for none
 * @param buffer bytes of shared memory, 0 for no aggregation at all
 */
record Setting(long threshold, long buffer) {
  static final Setting PLAIN = new Setting(0, 0);

  /** Such as {@code 64K} or {@code all}. */
  String thresholdText() {
    return threshold == Long.MAX_VALUE ? "all" : size(threshold);
  }

  /** As {@code --threshold} takes it. */
  String thresholdOption() {
    return threshold == Long.MAX_VALUE ? "auto" : "fixed:" + thresholdText();
  }

  String bufferText() {
    return size(buffer);
  }

  private static String size(final long bytes) {
    return SizeConverter.format(bytes).replace(".0", "");
  }
}
