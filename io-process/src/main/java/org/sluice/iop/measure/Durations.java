package org.sluice.iop.measure;

import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/** The count and the durations of one kind of event. Thread-safe; adding never waits. */
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

  /** Returns the sum of all durations, in nanoseconds. */
  long total() {
    return nanos.sum();
  }

  /** Returns the longest duration, in nanoseconds. */
  long longest() {
    return longest.get();
  }
}
