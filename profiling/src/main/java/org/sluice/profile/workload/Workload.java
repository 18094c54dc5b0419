package org.sluice.profile.workload;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.Consumer;
import org.sluice.core.segment.SlotDescriptor;
import org.sluice.profile.trace.Call;
import org.sluice.profile.trace.Omissions;
import org.sluice.profile.trace.Origin;
import org.sluice.profile.trace.Route;
import org.sluice.profile.trace.Trace;
import org.sluice.profile.trace.Write;

/**
 * One checkpoint of a node as published for BLCR: 8 of 64 processes of a NAS Parallel Benchmark,
 * class C. The totals of each are published; the shares by size only of LU, which serve for all.
 *
 * <p>The order is BLCR's: a burst of tiny records at the start, then for each memory area a few
 * more and its pages in runs, all one after the other in a file of the process's own.
 */
public enum Workload {
  /** LU.C.64. */
  LU(184.0, 975, 7.6),
  /** BT.C.64. */
  BT(320.0, 1057, 11.3),
  /** SP.C.64. */
  SP(316.0, 1367, 10.3),
  /** CG.C.64. */
  CG(163.2, 820, 7.1);

  /** Processes of the node in the publication. */
  public static final int RANKS = 8;

  private static final double[] PERCENT_OF_WRITES = {
    50.86, 0.61, 0.25, 9.46, 36.49, 0.74, 0.49, 0.25, 0.61, 0.25
  };
  private static final double[] PERCENT_OF_DATA = {
    0.04, 0.00, 0.01, 1.53, 11.36, 0.77, 3.79, 3.58, 17.72, 61.21
  };
  private static final double[] PERCENT_OF_TIME = {
    0.17, 0.00, 0.00, 0.01, 44.66, 6.55, 11.80, 1.75, 14.72, 20.35
  };
  private static final double MEGABYTE = 1e6;
  private static final int FIRST_BURST = 70;
  private static final int RUNS_OF_AN_AREA = 6;
  private static final long LARGEST_RUN = 64L << 20;

  private final double megabytesPerNode;
  private final int writesPerProcess;
  private final double seconds;

  Workload(final double megabytesPerNode, final int writesPerProcess, final double seconds) {
    this.megabytesPerNode = megabytesPerNode;
    this.writesPerProcess = writesPerProcess;
    this.seconds = seconds;
  }

  /**
   * The bytes of one process.
   *
   * @return the node's megabytes (decimal), divided by its processes
   */
  public long bytesPerProcess() {
    return Math.round(megabytesPerNode * MEGABYTE / RANKS);
  }

  /**
   * One checkpoint of a node.
   *
   * @param ranks processes that write one
   * @param seed the same seed gives the same writes
   * @return the writes, with the published times
   */
  public Trace checkpoint(final int ranks, final long seed) {
    return new Trace() {
      @Override
      public String kind() {
        return "generated pattern " + Workload.this;
      }

      @Override
      public Omissions read(final Consumer<Write> sink) {
        for (int rank = 0; rank < ranks; rank++) {
          emit(rank, sizes(new Random(seed + rank)), sink);
        }
        return new Omissions();
      }
    };
  }

  private void emit(final int rank, final List<Long> sizes, final Consumer<Write> sink) {
    final Origin origin = new Origin("node0", 1000 + rank, rank);
    final long[] durations = durations(sizes);
    long time = 0;
    long offset = 0;
    for (final long size : sizes) {
      final long duration = durations[SlotDescriptor.sizeClass(size)];
      sink.accept(
          new Write(
              origin,
              "/ckpt/%s.%d".formatted(name().toLowerCase(Locale.ROOT), rank),
              Call.WRITE,
              Route.PLAIN,
              time,
              duration,
              offset,
              size));
      time += duration;
      offset += size;
    }
  }

  /** How long a write of each class takes, so that the classes have their shares of the time. */
  private long[] durations(final List<Long> sizes) {
    final int[] counts = new int[SlotDescriptor.SIZE_CLASSES];
    sizes.forEach(size -> counts[SlotDescriptor.sizeClass(size)]++);
    final long[] durations = new long[counts.length];
    for (int i = 0; i < counts.length; i++) {
      durations[i] = Math.round(seconds * 1e9 * PERCENT_OF_TIME[i] / 100 / Math.max(counts[i], 1));
    }
    return durations;
  }

  /** The sizes of one process's writes, in the order it makes them. */
  private List<Long> sizes(final Random random) {
    final List<Long> small = new ArrayList<>();
    final List<Long> runs = new ArrayList<>();
    for (int i = 0; i < SlotDescriptor.SIZE_CLASSES; i++) {
      (i < 3 ? small : runs).addAll(sizesOfClass(i, random));
    }
    Collections.shuffle(small, random);
    Collections.shuffle(runs, random);
    final int burst = Math.min(FIRST_BURST, small.size());
    final int areas = (runs.size() + RUNS_OF_AN_AREA - 1) / RUNS_OF_AN_AREA;
    final List<Long> sizes = new ArrayList<>(small.subList(0, burst));
    for (int area = 0; area < areas; area++) {
      sizes.addAll(share(small.subList(burst, small.size()), area, areas));
      sizes.addAll(share(runs, area, areas));
    }
    return sizes;
  }

  private static List<Long> share(final List<Long> all, final int number, final int of) {
    return all.subList(all.size() * number / of, all.size() * (number + 1) / of);
  }

  /** Rounded from the sum, so that the classes together have all writes. */
  private long writesBelow(final int sizeClass) {
    final double percent = Arrays.stream(PERCENT_OF_WRITES, 0, sizeClass).sum();
    return Math.round(writesPerProcess * percent / 100);
  }

  private List<Long> sizesOfClass(final int sizeClass, final Random random) {
    final long count = writesBelow(sizeClass + 1) - writesBelow(sizeClass);
    final long low = sizeClass == 0 ? 4 : SlotDescriptor.sizeClassLimit(sizeClass - 1);
    final long high = Math.min(SlotDescriptor.sizeClassLimit(sizeClass) - 1, LARGEST_RUN);
    long left = Math.round(bytesPerProcess() * PERCENT_OF_DATA[sizeClass] / 100);
    final List<Long> sizes = new ArrayList<>();
    for (long i = count; i > 0; i--) {
      final double mean = (double) left / i;
      final double spread = i == 1 ? 0 : random.nextDouble(-0.25, 0.25) * mean;
      final long size = Math.clamp(Math.round(mean + spread), low, high);
      sizes.add(size);
      left -= size;
    }
    return sizes;
  }
}
