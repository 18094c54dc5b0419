package org.sluice.profile.workload;

import java.util.Locale;
import java.util.function.Consumer;
import org.sluice.core.segment.SlotDescriptor;
import org.sluice.profile.trace.Call;
import org.sluice.profile.trace.Omissions;
import org.sluice.profile.trace.Origin;
import org.sluice.profile.trace.Route;
import org.sluice.profile.trace.Trace;
import org.sluice.profile.trace.Write;

/**
 * A program whose checkpoints were published for BLCR: a NAS Parallel Benchmark, class C, of 64
 * processes, 8 on each node. The totals of each are published; the shares by size only of LU, which
 * serve for all.
 */
public enum Workload {
  /** LU.C.64. */
  LU,
  /** BT.C.64. */
  BT,
  /** SP.C.64. */
  SP,
  /** CG.C.64. */
  CG;

  /** Processes of a node in the publication. */
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

  /**
   * The name in the published tables.
   *
   * @return such as {@code LU.C.64}
   */
  public String publishedName() {
    return name().toUpperCase(Locale.ROOT) + ".C.64";
  }

  /**
   * Bytes of one process's image.
   *
   * @return the node's, divided by its processes
   */
  public long imageLength() {
    return imageLength;
  }

  /**
   * Writes of one process.
   *
   * @return the count
   */
  public int writes() {
    return writes;
  }

  /**
   * One checkpoint of a node.
   *
   * @param ranks processes that write one
   * @return the writes, with the published times
   */
  public Trace checkpoint(final int ranks) {
    return new Trace() {
      @Override
      public String kind() {
        return "generated pattern " + Workload.this;
      }

      @Override
      public Omissions read(final Consumer<Write> sink) {
        final WritePattern pattern = WritePattern.of(Workload.this);
        final long[] durations = durations(pattern);
        for (int rank = 0; rank < ranks; rank++) {
          emit(rank, pattern, durations, sink);
        }
        return new Omissions();
      }
    };
  }

  private void emit(
      final int rank,
      final WritePattern pattern,
      final long[] durations,
      final Consumer<Write> sink) {
    final Origin origin = new Origin("node0", 1000 + rank, rank);
    final String file = "/ckpt/%s.%d".formatted(name().toLowerCase(Locale.ROOT), rank);
    long time = 0;
    long offset = 0;
    for (final WritePattern.Write write : pattern.writes()) {
      final long duration = durations[SlotDescriptor.sizeClass(write.length())];
      sink.accept(
          new Write(origin, file, Call.WRITE, Route.PLAIN, time, duration, offset, write.length()));
      time += duration;
      offset += write.length();
    }
  }

  /** How long a write of each class takes, so that the classes have their shares of the time. */
  private long[] durations(final WritePattern pattern) {
    final int[] counts = new int[SlotDescriptor.SIZE_CLASSES];
    pattern.writes().forEach(write -> counts[SlotDescriptor.sizeClass(write.length())]++);
    final long[] durations = new long[counts.length];
    for (int i = 0; i < counts.length; i++) {
      final double share = SizeClass.published().get(i).percentOfTime() / 100;
      durations[i] = Math.round(seconds * 1e9 * share / Math.max(counts[i], 1));
    }
    return durations;
  }
}
