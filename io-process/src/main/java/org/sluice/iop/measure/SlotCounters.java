package org.sluice.iop.measure;

import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.sluice.core.segment.Reason;
import org.sluice.core.segment.Slot;
import org.sluice.core.segment.SlotDescriptor;

/** The counters of application processes, summed up. Not thread-safe. */
final class SlotCounters {
  private final long[] aggregatedWrites = new long[SlotDescriptor.SIZE_CLASSES];
  private final long[] aggregatedBytes = new long[SlotDescriptor.SIZE_CLASSES];
  private final long[] directWrites = new long[SlotDescriptor.SIZE_CLASSES];
  private final long[] directBytes = new long[SlotDescriptor.SIZE_CLASSES];
  private final long[] reasonBytes = new long[Reason.values().length];
  private long waits;
  private long waitNanos;
  private long fallbacks;
  private long overflows;

  void add(final Slot slot) {
    add(aggregatedWrites, slot, SlotDescriptor.AGGREGATED_WRITES_OFFSET);
    add(aggregatedBytes, slot, SlotDescriptor.AGGREGATED_BYTES_OFFSET);
    add(directWrites, slot, SlotDescriptor.DIRECT_WRITES_OFFSET);
    add(directBytes, slot, SlotDescriptor.DIRECT_BYTES_OFFSET);
    Arrays.setAll(reasonBytes, i -> reasonBytes[i] + slot.reasonBytes(Reason.of(i)));
    waits += slot.waits();
    waitNanos += slot.waitNanos();
    fallbacks += slot.fallbacks();
    overflows += slot.overflows();
  }

  private static void add(final long[] sums, final Slot slot, final int offset) {
    Arrays.setAll(sums, i -> sums[i] + slot.counter(offset, i));
  }

  void add(final SlotCounters other) {
    Arrays.setAll(aggregatedWrites, i -> aggregatedWrites[i] + other.aggregatedWrites[i]);
    Arrays.setAll(aggregatedBytes, i -> aggregatedBytes[i] + other.aggregatedBytes[i]);
    Arrays.setAll(directWrites, i -> directWrites[i] + other.directWrites[i]);
    Arrays.setAll(directBytes, i -> directBytes[i] + other.directBytes[i]);
    Arrays.setAll(reasonBytes, i -> reasonBytes[i] + other.reasonBytes[i]);
    waits += other.waits;
    waitNanos += other.waitNanos;
    fallbacks += other.fallbacks;
    overflows += other.overflows;
  }

  long aggregatedWrites() {
    return LongStream.of(aggregatedWrites).sum();
  }

  long aggregatedBytes() {
    return LongStream.of(aggregatedBytes).sum();
  }

  long directWrites() {
    return LongStream.of(directWrites).sum();
  }

  long directBytes() {
    return LongStream.of(directBytes).sum();
  }

  /** What went past the buffer for this reason. */
  long reasonBytes(final Reason reason) {
    return reasonBytes[reason.ordinal()];
  }

  long waits() {
    return waits;
  }

  double waitSeconds() {
    return waitNanos / 1e9;
  }

  long fallbacks() {
    return fallbacks;
  }

  long overflows() {
    return overflows;
  }

  /** One line per size class, smallest first. */
  List<SizeClass> sizeClasses() {
    return java.util.stream.IntStream.range(0, SlotDescriptor.SIZE_CLASSES)
        .mapToObj(
            i ->
                new SizeClass(
                    SlotDescriptor.sizeClassLimit(i),
                    aggregatedWrites[i],
                    aggregatedBytes[i],
                    directWrites[i],
                    directBytes[i]))
        .toList();
  }

  /** The writes of one size class; {@code below} is the first size above it. */
  record SizeClass(
      long below,
      long aggregatedWrites,
      long aggregatedBytes,
      long directWrites,
      long directBytes) {}
}
