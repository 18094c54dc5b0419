package org.sluice.profile.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.sluice.core.segment.SlotDescriptor;

/**
 * A program whose checkpoints were published for BLCR: a NAS Parallel Benchmark, class C, of 64
 * processes, 8 on each node. The totals of each program are published. The shares by size are
 * published only for LU, and serve for all.
 */
public enum Workload {
  LU,
  BT,
  SP,
  CG;

  /** The number of processes of a node in the publication. */
  public static final int RANKS = 8;

  private static final double MEGABYTE = 1e6;

  private final long imageLength;
  private final int writes;
  private final double seconds;

  Workload() {
    final String[] row =
        Facts.rows("nodes.csv").stream()
            .filter(fields -> fields[0].equals(publishedName()))
            .findFirst()
            .orElseThrow();
    imageLength = Math.round(Double.parseDouble(row[2]) * MEGABYTE / Integer.parseInt(row[1]));
    writes = Integer.parseInt(row[3]);
    seconds = Double.parseDouble(row[5]);
  }

  public String publishedName() {
    return name().toUpperCase(Locale.ROOT) + ".C.64";
  }

  /** Returns the bytes of the node's images, divided by its processes. */
  public long imageLength() {
    return imageLength;
  }

  public int writes() {
    return writes;
  }

  /** Returns the writes of one checkpoint of a node, with the published times. */
  public GeneratedTrace checkpoint(final int ranks) {
    return trace(ranks, WritePattern.of(this));
  }

  /**
   * Returns such a checkpoint with other bytes of all processes together, by repeating its writes.
   */
  public GeneratedTrace checkpoint(final int ranks, final long bytes) {
    final List<Long> once = WritePattern.of(this);
    final List<Long> sizes = new ArrayList<>();
    for (long left = bytes / ranks; left > 0; left -= sizes.getLast()) {
      sizes.add(Math.min(left, once.get(sizes.size() % once.size())));
    }
    return trace(ranks, sizes);
  }

  private GeneratedTrace trace(final int ranks, final List<Long> sizes) {
    final long[] durations = durations();
    return new GeneratedTrace(
        "generated pattern " + this,
        ranks,
        () -> sizes.stream().mapToLong(Long::longValue),
        size -> durations[SlotDescriptor.sizeClass(size)],
        0);
  }

  /**
   * Returns the duration of a write by class, so that the classes have their shares of the time.
   */
  private long[] durations() {
    final int[] counts = new int[SlotDescriptor.SIZE_CLASSES];
    WritePattern.of(this).forEach(size -> counts[SlotDescriptor.sizeClass(size)]++);
    final long[] durations = new long[counts.length];
    for (int i = 0; i < counts.length; i++) {
      final double share = SizeClass.published().get(i).percentOfTime() / 100;
      durations[i] = Math.round(seconds * 1e9 * share / Math.max(counts[i], 1));
    }
    return durations;
  }
}
