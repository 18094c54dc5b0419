package org.sluice.iop.measure;

import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/** How often something happened and how long it took. Thread-safe; adding never waits. */
final class Durations {
  private final LongAdder count = new LongAdder();
  private final LongAdder nanos = new LongAdder();
  private final LongAccumulator longest = new LongAccumulator(Long::max, 0);

  void add(final long duration) {
    count.increment();
    nanos.add(duration);
    longest.accumulate(duration);
  }

  long count() {
    return count.sum();
  }

  /** The sum of all durations, in nanoseconds. */
  long total() {
    return nanos.sum();
  }

  /** The longest duration, in nanoseconds. */
  long longest() {
    return longest.get();
  }
}
