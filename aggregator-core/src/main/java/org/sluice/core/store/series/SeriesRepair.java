package org.sluice.core.store.series;

import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeSet;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.posix.Entropy;
import org.sluice.core.store.directory.NodeIdentity;
import org.sluice.core.store.objects.Engine;

/**
 * The repair of a series whose log has a damaged entry. The repair begins a run that says which
 * commits count, so that no reader looks at the entries before.
 *
 * <p>The content of the damaged entry is lost. If it removed or superseded checkpoints, these may
 * count again where all their bytes are there. The run under way is fenced: its view of the log is
 * not what others find there. Where the begin of an earlier run cannot be read, no earlier run is
 * known any more.
 *
 * @param numbers the checkpoints that count, by the log or since all their bytes are there
 */
public record SeriesRepair(List<DamagedException> damage, List<Long> numbers) {
  /**
   * Looks at a series, and begins such a run if its log is damaged.
   *
   * @param store the store; closed with the reading
   * @return findings, acted on unless it was a dry run
   */
  public static SeriesRepair of(final SeriesStore store, final String series, final boolean dryRun)
      throws IOException {
    try (Engine engine = store.engine(series);
        SeriesReader reader = new SeriesReader(store, series)) {
      final SortedMap<Long, LogEntry.Commit> counting = reader.wholeOfUncertain();
      final boolean knowsRuns = reader.knowsRuns();
      if (dryRun || reader.damage().isEmpty()) {
        counting.putAll(reader.live());
        return repair(reader, counting);
      }
      final String run = "repair-%016x".formatted(Entropy.nextLong());
      final SeriesLog log = SeriesLog.toRepair(engine);
      log.read();
      log.fillHoles();
      return repair(reader, log.append(state -> begin(state, run, knowsRuns, counting)).live());
    }
  }

  private static SeriesRepair repair(
      final SeriesReader reader, final SortedMap<Long, LogEntry.Commit> counting) {
    final TreeSet<Long> numbers = new TreeSet<>();
    counting.values().forEach(commit -> numbers.add(commit.number()));
    return new SeriesRepair(reader.damage(), List.copyOf(numbers));
  }

  /** Returns the begin of the run; null once it is there. */
  private static LogEntry begin(
      final SeriesState state,
      final String run,
      final boolean knowsRuns,
      final SortedMap<Long, LogEntry.Commit> whole)
      throws IOException {
    if (state.owner().filter(owner -> owner.run().equals(run)).isPresent()) {
      return null;
    }
    final TreeSet<Long> live = new TreeSet<>(state.live().keySet());
    state.uncertain().keySet().stream().filter(whole::containsKey).forEach(live::add);
    return new LogEntry.Begin(
        run,
        knowsRuns ? state.begin() : 0,
        new ArrayList<>(live),
        PartKey.node(NodeIdentity.self().name()),
        Instant.now().truncatedTo(ChronoUnit.MILLIS));
  }
}
