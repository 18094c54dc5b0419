package org.sluice.profile.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** A random draw of the sizes of all writes of a process, with the published histogram. */
final class SizeDraw {
  private static final long SMALLEST = 4;

  private final Random random;
  private final Workload workload;
  private final List<SizeClass> classes = SizeClass.published();

  SizeDraw(final Workload workload, final long seed) {
    this.workload = workload;
    this.random = new Random(seed);
  }

  /**
   * Returns one list of sizes per class, ascending.
   *
   * <p>Only LU's histogram is published, so the other programs take its shares. A class that their
   * larger mean write would not fit is filled up, and the largest takes the rest.
   *
   * @param headers source of the fixed sizes in the smallest class, by the number of writes in
   *     class {@link WritePattern#ARRAYS}; these writes count, but are not in the result
   */
  List<List<Long>> draw(final IntFunction<List<Long>> headers) {
    final int[] counts = counts();
    final List<Long> given = headers.apply(counts[WritePattern.ARRAYS]);
    final long givenBytes = sum(given);
    final List<List<Long>> sizes = new ArrayList<>();
    long left = workload.imageLength() - givenBytes;
    for (int i = 0; i < counts.length; i++) {
      final long share = Math.round(workload.imageLength() * classes.get(i).percentOfData() / 100);
      final long bytes = i == 0 ? share - givenBytes : i == counts.length - 1 ? left : share;
      sizes.add(sizes(classes.get(i), counts[i] - (i == 0 ? given.size() : 0), bytes));
      left -= sum(sizes.get(i));
    }
    return sizes;
  }

  private static long sum(final List<Long> sizes) {
    return sizes.stream().mapToLong(Long::longValue).sum();
  }

  /** Returns the numbers of writes by class, by largest remainder, so that they add up. */
  private int[] counts() {
    final double total = classes.stream().mapToDouble(SizeClass::percentOfWrites).sum();
    final double[] exact =
        classes.stream()
            .mapToDouble(c -> c.percentOfWrites() / total * workload.writes())
            .toArray();
    final int[] counts = DoubleStream.of(exact).mapToInt(d -> (int) d).toArray();
    for (int left = workload.writes() - IntStream.of(counts).sum(); left > 0; left--) {
      int best = 0;
      for (int i = 1; i < exact.length; i++) {
        best = exact[i] - counts[i] > exact[best] - counts[best] ? i : best;
      }
      counts[best]++;
    }
    return counts;
  }

  /** Returns a number of sizes of a class, with about the given sum. */
  private List<Long> sizes(final SizeClass sizeClass, final int count, final long bytes) {
    final long unit = sizeClass.isPages() ? WritePattern.PAGE : 1;
    final long smallest = Math.max(SMALLEST / unit, sizeClass.from() / unit);
    final long largest = sizeClass.to() == Long.MAX_VALUE ? bytes : (sizeClass.to() - 1) / unit;
    final long sum = Math.clamp(bytes / unit, smallest * count, largest * count);
    final double[] weights = random.doubles(count).map(d -> d + 0.2).toArray();
    final double weight = DoubleStream.of(weights).sum();
    final long[] sizes = new long[count];
    for (int i = 0; i < count; i++) {
      final long above = (long) ((sum - smallest * count) * weights[i] / weight);
      sizes[i] = Math.min(largest, smallest + above);
    }
    for (long missing = sum - LongStream.of(sizes).sum(); missing > 0; ) {
      final int i = random.nextInt(count);
      if (sizes[i] < largest) {
        sizes[i]++;
        missing--;
      }
    }
    return LongStream.of(sizes).map(size -> size * unit).boxed().toList();
  }
}
