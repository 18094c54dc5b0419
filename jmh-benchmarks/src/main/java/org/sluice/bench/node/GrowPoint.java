package org.sluice.bench.node;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The rounds of one target with so much work. Entry <i>n</i> of every list is of round <i>n</i>, so
 * that lists of two targets pair up. Times are milliseconds.
 *
 * @param work in the unit of the part
 * @param bytes of a checkpoint, all ranks
 */
record GrowPoint(
    GrowPart part,
    long work,
    Target target,
    long bytes,
    List<Double> opens,
    List<Double> returns,
    List<Double> durables,
    List<Double> iopCpu,
    List<Memory> memory) {
  private static final double MILLI = 1e3;

  /**
   * What an I/O process has besides its segment, after the last round.
   *
   * @param own bytes of memory of its own
   * @param heap bytes of live objects on its heap, part of it
   */
  record Memory(long own, long heap) {}

  GrowPoint(final GrowPart part, final long work, final Target target, final long bytes) {
    this(
        part,
        work,
        target,
        bytes,
        new ArrayList<>(),
        new ArrayList<>(),
        new ArrayList<>(),
        new ArrayList<>(),
        new ArrayList<>());
  }

  void add(final Until until, final Sample sample) {
    if (until.hasReturn()) {
      opens.add(sample.open() * MILLI);
      returns.add(sample.untilReturn() * MILLI);
    }
    if (until.hasDurable()) {
      durables.add(sample.untilDurable() * MILLI);
      iopCpu.add(sample.iopCpu() * MILLI);
    }
  }

  /** What the I/O process had at the end; empty without one. */
  Optional<Memory> memoryAtEnd() {
    return memory.stream().findFirst();
  }
}
