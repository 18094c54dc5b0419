package org.sluice.bench.node;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.sluice.profile.replay.ReplayResult;
import org.sluice.profile.replay.ReplayRounds.Ending;

/**
 * The rounds of one load through one storage system with one gap. Entry <i>n</i> of a figure is of
 * round <i>n</i>, so that the entries of two systems pair up.
 */
record Series(Load load, Storage storage, int gapMillis, Map<Figure, List<Double>> values) {
  private static final double MILLI = 1e6;
  private static final double SECOND = 1e9;
  private static final double MEGA = 1e6;

  Series(final Load load, final Storage storage, final int gapMillis) {
    this(load, storage, gapMillis, new HashMap<>());
  }

  /** Returns a figure of all rounds; empty where it is not measured. */
  List<Double> get(final Figure figure) {
    return values.getOrDefault(figure, List.of());
  }

  void add(final Figure figure, final double value) {
    values.computeIfAbsent(figure, f -> new ArrayList<>()).add(value);
  }

  /** Adds the checkpoints of fresh programs, the first one apart. */
  void add(final Ending ending, final List<ReplayResult> checkpoints) {
    final ReplayResult first = checkpoints.getFirst();
    final List<ReplayResult> later = checkpoints.subList(1, checkpoints.size());
    if (ending.hasReturn()) {
      add(Figure.FIRST_OPEN, first.costs().open() / MILLI);
      add(Figure.FIRST_RETURN, returned(first));
      addMedian(Figure.LATER_RETURN, later.stream().map(Series::returned).toList());
    }
    if (ending.hasDurable()) {
      add(Figure.FIRST_DURABLE, durable(first));
      addMedian(Figure.LATER_DURABLE, later.stream().map(Series::durable).toList());
    }
  }

  private void addMedian(final Figure figure, final List<Double> milliseconds) {
    if (!milliseconds.isEmpty()) {
      add(figure, Summary.of(milliseconds).median());
    }
  }

  private static double returned(final ReplayResult result) {
    return (result.moments().ended() - result.moments().opened()) / MILLI;
  }

  private static double durable(final ReplayResult result) {
    return (result.moments().durable() - result.moments().opened()) / MILLI;
  }

  void add(final Ending ending, final ReplayResult result) {
    if (ending.hasReturn()) {
      add(Figure.RETURN, (result.moments().ended() - result.moments().began()) / MILLI);
      add(Figure.LONGEST, result.costs().calls() / MILLI);
      add(Figure.OPEN, (result.moments().began() - result.moments().opened()) / MILLI);
      add(Figure.RANKS_CPU, result.costs().ranksCpu() / SECOND);
    }
    if (ending.hasReturn() && storage.isSluice()) {
      add(Figure.BUFFERED, result.buffer().left() / MEGA);
    }
    if (ending.hasDurable()) {
      add(Figure.DURABLE, (result.moments().durable() - result.moments().began()) / MILLI);
    }
    if (ending.hasDurable() && storage.isSluice()) {
      add(Figure.IOP_CPU, result.costs().iopCpu() / SECOND);
    }
    if (ending == Ending.COUNT) {
      add(Figure.SYSTEM_CALLS, result.costs().systemCalls());
    }
  }

  /** Adds the counts of an I/O process in one round. */
  void add(final Map<String, Object> before, final Map<String, Object> after) {
    final ToDoubleFunction<String> grown =
        name ->
            ((Number) after.get(name)).doubleValue() - ((Number) before.get(name)).doubleValue();
    final double direct = grown.applyAsDouble("direct_bytes");
    final double all = direct + grown.applyAsDouble("aggregated_bytes");
    add(Figure.DIRECT, 100 * direct / all);
    add(Figure.WAITED, 1e3 * grown.applyAsDouble("wait_seconds") / storage.measurements().size());
  }

  /** Adds the memory of an I/O process after the last round. */
  void observe(final ArmService service) throws IOException {
    add(Figure.PEAK_MEMORY, service.peakMemory() / MEGA);
    add(Figure.OWN_MEMORY, service.ownMemory() / MEGA);
    add(Figure.HUGE_MEMORY, service.hugeMemory() / MEGA);
    add(Figure.HEAP, service.liveHeap() / MEGA);
  }
}
