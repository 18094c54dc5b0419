package org.sluice.bench.node;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import org.sluice.profile.workload.Workload;

/**
 * The rounds of one workload through one target with one gap. Entry <i>n</i> of every list is of
 * round <i>n</i>, so that lists of two targets pair up.
 */
final class Series {
  private static final double MILLI = 1e3;

  private final Workload workload;
  private final Target target;
  private final int gapMillis;
  private final List<Measured> samples = new ArrayList<>();
  private Optional<Footprint> footprint = Optional.empty();

  private record Measured(Until until, Sample sample) {}

  /**
   * An I/O process's memory, in bytes.
   *
   * @param peak the most it ever had mapped and touched, the segment included
   * @param own what is its own at the end
   * @param huge how much of the segment it has in huge pages
   */
  record Footprint(long peak, long own, long huge) {}

  Series(final Workload workload, final Target target, final int gapMillis) {
    this.workload = workload;
    this.target = target;
    this.gapMillis = gapMillis;
  }

  void add(final Until until, final Sample sample) {
    samples.add(new Measured(until, sample));
  }

  /** System calls of all ranks in one checkpoint; empty if they were not counted. */
  List<Double> systemCalls() {
    return values(until -> until == Until.COUNT, Sample::systemCalls);
  }

  void footprint(final Footprint measured) {
    footprint = Optional.of(measured);
  }

  Workload workload() {
    return workload;
  }

  Target target() {
    return target;
  }

  int gapMillis() {
    return gapMillis;
  }

  Optional<Footprint> footprint() {
    return footprint;
  }

  int rounds() {
    return opens().size();
  }

  /** Milliseconds from the first write to the last close. */
  List<Double> returns() {
    return values(Until::hasReturn, sample -> sample.untilReturn() * MILLI);
  }

  /** Milliseconds from the first write until all is on stable storage; empty where it never is. */
  List<Double> durables() {
    return values(Until::hasDurable, sample -> sample.untilDurable() * MILLI);
  }

  /** Milliseconds from the first open to the first write. */
  List<Double> opens() {
    return values(Until::hasReturn, sample -> sample.open() * MILLI);
  }

  /** Seconds of processor time of all ranks, without syncing. */
  List<Double> ranksCpu() {
    return values(Until::hasReturn, Sample::ranksCpu);
  }

  /** Seconds of processor time of the I/O process; empty without one. */
  List<Double> iopCpu() {
    return target.isSluice() ? values(Until::hasDurable, Sample::iopCpu) : List.of();
  }

  /** Bytes in the buffer at the last close; empty without one. */
  List<Double> buffered() {
    return target.isSluice() ? values(Until::hasReturn, Sample::buffered) : List.of();
  }

  private List<Double> values(final Predicate<Until> which, final ToDoubleFunction<Sample> value) {
    return samples.stream()
        .filter(measured -> which.test(measured.until))
        .map(measured -> value.applyAsDouble(measured.sample))
        .toList();
  }
}
