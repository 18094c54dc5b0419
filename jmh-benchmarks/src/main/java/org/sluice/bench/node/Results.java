package org.sluice.bench.node;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sluice.profile.workload.Workload;

/** All series of a run, in the order in which they were measured. */
final class Results {
  private final int ranks;
  private final List<Series> series = new ArrayList<>();

  Results(final int ranks) {
    this.ranks = ranks;
  }

  Series add(final Workload workload, final Target target, final int gapMillis) {
    final Series added = new Series(workload, target, gapMillis);
    series.add(added);
    return added;
  }

  List<Series> all() {
    return series;
  }

  Optional<Series> of(final Workload workload, final Target target, final int gapMillis) {
    return series.stream()
        .filter(s -> s.workload() == workload && s.target() == target && s.gapMillis() == gapMillis)
        .findFirst();
  }

  int ranks() {
    return ranks;
  }

  /** Bytes of one checkpoint, all ranks. */
  long checkpointLength(final Workload workload) {
    return workload.imageLength() * ranks;
  }
}
