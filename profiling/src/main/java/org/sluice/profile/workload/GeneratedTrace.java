package org.sluice.profile.workload;

import java.util.PrimitiveIterator;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.sluice.profile.trace.Call;
import org.sluice.profile.trace.CallTime;
import org.sluice.profile.trace.Omissions;
import org.sluice.profile.trace.Route;
import org.sluice.profile.trace.Trace;
import org.sluice.profile.trace.TracedProcess;
import org.sluice.profile.trace.Write;

/**
 * A generated trace: each rank makes the same writes, in order, to a file of its own.
 *
 * @param sizes source of the bytes of each write of a rank, always the same
 * @param duration the nanoseconds that a write of a number of bytes takes
 * @param gap bytes of the file left out behind each write
 */
public record GeneratedTrace(
    String kind, int ranks, Supplier<LongStream> sizes, LongUnaryOperator duration, long gap)
    implements Trace {
  /**
   * Returns a trace of writes of equal size that take no time.
   *
   * @param bytes bytes of all processes together, rounded up to whole writes of each
   * @param gap bytes of the file left out behind each write
   */
  public static GeneratedTrace equal(
      final int ranks, final long bytes, final long size, final long gap) {
    final long count = Math.ceilDiv(bytes, size * ranks);
    return new GeneratedTrace(
        "equal writes", ranks, () -> LongStream.range(0, count).map(i -> size), s -> 0, gap);
  }

  public long bytes() {
    return ranks * sizes.get().sum();
  }

  @Override
  public Omissions read(final Consumer<Write> sink) {
    for (int rank = 0; rank < ranks; rank++) {
      final TracedProcess origin = new TracedProcess("node0", 1000 + rank, rank);
      final String file = "rank-%d.img".formatted(rank);
      long time = 0;
      long offset = 0;
      for (final PrimitiveIterator.OfLong each = sizes.get().iterator(); each.hasNext(); ) {
        final long size = each.nextLong();
        final long nanos = duration.applyAsLong(size);
        sink.accept(
            new Write(
                origin, file, Call.WRITE, Route.PLAIN, new CallTime(time, nanos), offset, size));
        time += nanos;
        offset += size + gap;
      }
    }
    return new Omissions();
  }
}
