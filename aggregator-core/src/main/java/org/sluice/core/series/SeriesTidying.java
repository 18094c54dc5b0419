package org.sluice.core.series;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.sluice.core.engine.Engine;
import org.sluice.core.store.NodeIdentity;

/**
 * Removes checkpoints of a series, and what is left of earlier runs, on whichever node and beside a
 * run that goes on. Not thread-safe.
 */
public final class SeriesTidying implements AutoCloseable {
  /** So long a process that was killed may take to be resumed. */
  private static final Duration AT_REST = Duration.ofMinutes(1);

  /** A live process has said so by then, whatever its clock is. */
  private static final Duration RENEWED = Duration.ofSeconds(8);

  /** When nobody uses it. */
  private static final Instant UNUSED = Instant.EPOCH;

  private final SeriesStore store;
  private final String series;
  private final Engine engine;
  private final SeriesLog log;
  private final SeriesGarbage garbage;

  /** The node and the run that a part or data is of. */
  private record Origin(long begin, String node) {}

  /**
   * A series that is to be tidied.
   *
   * @param store the store, which stays the caller's
   * @param series the series' name
   */
  public SeriesTidying(final SeriesStore store, final String series) {
    this.store = store;
    this.series = series;
    this.engine = store.engine(series);
    this.log = new SeriesLog(engine);
    this.garbage = new SeriesGarbage(engine, store.needs(series));
  }

  /**
   * Removes checkpoints: in the log first, and then their bytes.
   *
   * @param numbers their numbers
   * @param last the sequence of the log's last entry when they were chosen: what is committed
   *     behind it stays
   * @throws IOException when that fails; what the log has removed does not count then, and its
   *     bytes go with the next run, as do those that a live process may use
   */
  public void remove(final Collection<Long> numbers, final long last) throws IOException {
    final List<LogEntry.Commit> removed = new ArrayList<>();
    log.append(state -> removal(state, numbers, last, removed));
    final Map<Origin, Instant> uses = new HashMap<>();
    final Set<String> parts = new HashSet<>();
    for (final LogEntry.Commit commit : removed) {
      for (final String key : commit.keys()) {
        final Origin origin = origin(key);
        if (!uses.containsKey(origin)) {
          uses.put(origin, lastUsed(origin));
        }
        if (isLeft(uses.get(origin))) {
          parts.add(key);
        }
      }
    }
    if (!parts.isEmpty()) {
      keepUsed(uses);
      parts.removeIf(key -> !uses.containsKey(origin(key)));
      delete(garbage.of(parts));
    }
  }

  /** Of some nodes' stores those stay that are used just now, by whatever clock. */
  private void keepUsed(final Map<Origin, Instant> uses) throws IOException {
    if (uses.values().stream().allMatch(UNUSED::equals)) {
      return;
    }
    try {
      Thread.sleep(RENEWED);
    } catch (final InterruptedException e) {
      Thread.currentThread().interrupt();
      uses.clear();
    }
    for (final Origin origin : List.copyOf(uses.keySet())) {
      if (!lastUsed(origin).equals(uses.get(origin))) {
        uses.remove(origin);
      }
    }
  }

  private static Origin origin(final String key) {
    return PartKey.parse(key)
        .map(part -> new Origin(part.begin(), part.node()))
        .or(() -> DataKey.parse(key).map(data -> new Origin(data.begin(), data.node())))
        .orElseThrow();
  }

  /**
   * Whether no process has used a node's store of late, which says so every few seconds. One whose
   * clock is ahead of this node's has.
   */
  private static boolean isLeft(final Instant lastUsed) {
    return Duration.between(lastUsed, Instant.now()).compareTo(AT_REST) > 0;
  }

  private Instant lastUsed(final Origin origin) throws IOException {
    return store.lastUsed(series, origin.begin(), origin.node()).orElse(UNUSED);
  }

  private static LogEntry removal(
      final SeriesState state,
      final Collection<Long> numbers,
      final long last,
      final List<LogEntry.Commit> removed)
      throws IOException {
    final List<Long> stay = new ArrayList<>();
    final List<LogEntry.Commit> go = new ArrayList<>();
    state
        .live()
        .forEach(
            (sequence, commit) -> {
              if (sequence <= last && numbers.contains(commit.number())) {
                go.add(commit);
              } else {
                stay.add(sequence);
              }
            });
    if (go.isEmpty()) {
      return null;
    }
    removed.clear();
    removed.addAll(go);
    return new LogEntry.Remove(
        state.begin(),
        stay,
        PartKey.node(NodeIdentity.self().name()),
        Instant.now().truncatedTo(ChronoUnit.MILLIS));
  }

  /**
   * Finds what earlier runs left and no commit needs. A process of one may live that does not know
   * yet that it is fenced, and has yet to make plain files of what it did not commit. So what was
   * used of late is not among it.
   *
   * @return the keys of what it is
   * @throws IOException when that fails
   */
  public List<String> find() throws IOException {
    final SeriesState state = log.read();
    final Map<Origin, Boolean> left = new HashMap<>();
    final List<String> found = new ArrayList<>();
    for (final String key : garbage.ofEarlierRuns(state.live().values(), state.begin())) {
      final Origin origin = origin(key);
      if (!left.containsKey(origin)) {
        left.put(origin, isLeft(lastUsed(origin)));
      }
      if (left.get(origin)) {
        found.add(key);
      }
    }
    return found;
  }

  /**
   * Deletes what was found.
   *
   * @param keys from {@link #find}; each may be gone already
   * @throws IOException when that fails
   */
  public void delete(final List<String> keys) throws IOException {
    for (final String key : keys) {
      engine.delete(key);
    }
  }

  @Override
  public void close() throws IOException {
    engine.close();
  }
}
