package org.sluice.iop.measure;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.sluice.core.command.SizeConverter;
import org.sluice.core.segment.Reason;

/**
 * The share of the bytes that went through the buffer, and the reasons of the rest.
 *
 * @param aggregated bytes that went through the buffer
 */
record Share(long aggregated, List<NotAggregated> others) {
  private static final int MOST_REASONS = 4;

  /**
   * Returns the bytes of all files in the capture directory; an upper bound where some are
   * estimated.
   */
  long total() {
    return aggregated + others.stream().mapToLong(NotAggregated::most).sum();
  }

  long estimated() {
    return others.stream().mapToLong(NotAggregated::estimatedBytes).sum();
  }

  /** Returns the share from 0 to 1; empty when nothing was written. */
  Optional<Double> fraction() {
    return total() == 0 ? Optional.empty() : Optional.of(aggregated / (double) total());
  }

  /** Returns the report as one sentence; empty when nothing was written. */
  Optional<String> text() {
    final List<NotAggregated> sorted =
        others.stream()
            .filter(each -> each.most() > 0 || each.reason() == Reason.UNATTACHED)
            .sorted(Comparator.comparingLong(NotAggregated::most).reversed())
            .toList();
    final List<String> reasons = new ArrayList<>();
    sorted.stream().limit(MOST_REASONS).map(Share::text).forEach(reasons::add);
    final List<NotAggregated> rest = sorted.stream().skip(MOST_REASONS).toList();
    if (!rest.isEmpty()) {
      final long bytes = rest.stream().mapToLong(NotAggregated::most).sum();
      reasons.add("%s for other reasons (see --stats)".formatted(SizeConverter.format(bytes)));
    }
    if (total() == 0 && reasons.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        reasons.isEmpty()
            ? "all of %s went through the buffer".formatted(SizeConverter.format(total()))
            : "%s of %s went through the buffer, not: %s"
                .formatted(percent(), SizeConverter.format(total()), String.join(", ", reasons)));
  }

  /** Returns the share in percent, never rounded to all or to nothing. */
  private String percent() {
    final double percent = fraction().orElse(0.0) * 100;
    if (aggregated > 0 && percent < 0.1) {
      return "less than 0.1 %";
    }
    return "%.1f %%".formatted(Math.floor(percent * 10) / 10);
  }

  private static String text(final NotAggregated each) {
    final String text = "%s %s".formatted(bytes(each), each.reason().text());
    return each.files() == 0 ? text : "%s (files: %d)".formatted(text, each.files());
  }

  private static String bytes(final NotAggregated each) {
    if (each.reason() == Reason.UNATTACHED) {
      return "what nobody counts";
    }
    return (each.estimatedBytes() > 0 ? "at most " : "") + SizeConverter.format(each.most());
  }
}
