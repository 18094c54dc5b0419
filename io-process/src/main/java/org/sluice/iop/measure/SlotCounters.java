package org.sluice.iop.measure;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.sluice.core.segment.Reason;
import org.sluice.core.segment.Slot;
import org.sluice.core.segment.SlotDescriptor;

/** The counters of application processes, summed up. Not thread-safe. */
final class SlotCounters {
  private static final int FIRST = SlotDescriptor.AGGREGATED_WRITES_OFFSET;
  private static final int END =
      SlotDescriptor.REASON_BYTES_OFFSET + SlotDescriptor.REASONS * Long.BYTES;

  /**
   * The sums, word by word as in a slot. Words of a slot that are no counters have no meaning here.
   */
  private final long[] sums = new long[(END - FIRST) / Long.BYTES];

  void add(final Slot slot) {
    Arrays.setAll(sums, i -> sums[i] + slot.counter(FIRST, i));
  }

  void add(final SlotCounters other) {
    Arrays.setAll(sums, i -> sums[i] + other.sums[i]);
  }

  private long at(final int offset, final int i) {
    return sums[(offset - FIRST) / Long.BYTES + i];
  }

  private long ofAllSizes(final int offset) {
    return IntStream.range(0, SlotDescriptor.SIZE_CLASSES).mapToLong(i -> at(offset, i)).sum();
  }

  long aggregatedWrites() {
    return ofAllSizes(SlotDescriptor.AGGREGATED_WRITES_OFFSET);
  }

  long aggregatedBytes() {
    return ofAllSizes(SlotDescriptor.AGGREGATED_BYTES_OFFSET);
  }

  long directWrites() {
    return ofAllSizes(SlotDescriptor.DIRECT_WRITES_OFFSET);
  }

  long directBytes() {
    return ofAllSizes(SlotDescriptor.DIRECT_BYTES_OFFSET);
  }

  /** Returns the bytes that went past the buffer for this reason. */
  long reasonBytes(final Reason reason) {
    return at(SlotDescriptor.REASON_BYTES_OFFSET, reason.ordinal());
  }

  long waits() {
    return at(SlotDescriptor.WAITS_OFFSET, 0);
  }

  double waitSeconds() {
    return at(SlotDescriptor.WAIT_NANOS_OFFSET, 0) / 1e9;
  }

  /** Returns how often a chunk was free but had no memory yet. */
  long memoryWaits() {
    return at(SlotDescriptor.MEMORY_WAITS_OFFSET, 0);
  }

  double memoryWaitSeconds() {
    return at(SlotDescriptor.MEMORY_WAIT_NANOS_OFFSET, 0) / 1e9;
  }

  long memoryOverflows() {
    return at(SlotDescriptor.MEMORY_OVERFLOWS_OFFSET, 0);
  }

  long fallbacks() {
    return at(SlotDescriptor.FALLBACKS_OFFSET, 0);
  }

  long overflows() {
    return at(SlotDescriptor.OVERFLOWS_OFFSET, 0);
  }

  /**
   * Returns the size classes as JSON has them, the smallest first; {@code below} is the first size
   * above the class.
   */
  List<Map<String, Object>> sizeClasses() {
    return IntStream.range(0, SlotDescriptor.SIZE_CLASSES).mapToObj(this::sizeClass).toList();
  }

  private Map<String, Object> sizeClass(final int i) {
    final long below = SlotDescriptor.sizeClassLimit(i);
    final Map<String, Object> map = new LinkedHashMap<>();
    map.put("below", below == Long.MAX_VALUE ? null : below);
    map.put("aggregated_writes", at(SlotDescriptor.AGGREGATED_WRITES_OFFSET, i));
    map.put("aggregated_bytes", at(SlotDescriptor.AGGREGATED_BYTES_OFFSET, i));
    map.put("direct_writes", at(SlotDescriptor.DIRECT_WRITES_OFFSET, i));
    map.put("direct_bytes", at(SlotDescriptor.DIRECT_BYTES_OFFSET, i));
    return map;
  }
}
