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
 */
final class SeriesRepair {
  private SeriesRepair() {}

  /**
   * Begins such a run if the log of a series is damaged.
   *
   * @return findings, acted on unless it is a dry run
   */
  static List<DamagedException> of(
      final Engine engine, final SeriesReader reader, final boolean dryRun) throws IOException {
    final SortedMap<Long, LogEntry.Commit> counting = reader.wholeOfUncertain();
    final boolean knowsRuns = reader.knowsRuns();
    final List<DamagedException> damage = reader.damage();
    if (!dryRun && !damage.isEmpty()) {
      final String run = "repair-%016x".formatted(Entropy.nextLong());
      final SeriesLog log = SeriesLog.toRepair(engine);
      log.read();
      log.fillHoles();
      log.append(state -> begin(state, run, knowsRuns, counting));
    }
    return damage;
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
