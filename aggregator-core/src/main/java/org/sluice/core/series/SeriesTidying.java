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
import org.sluice.core.store.NoStoreException;
import org.sluice.core.store.NodeIdentity;
import org.sluice.core.store.PosixStore;
import org.sluice.core.store.StoredPart;

/**
 * Removes checkpoints of a series, and what is left of earlier runs, on whichever node and beside a
 * run that goes on. Not thread-safe.
 */
public final class SeriesTidying implements AutoCloseable {
  /** So long a process that was killed may take to be resumed. */
  private static final Duration AT_REST = Duration.ofMinutes(1);

  /** A live process has said so by then, whatever its clock is. */
  private static final Duration RENEWED = Duration.ofSeconds(8);

  private final SeriesDirectory directory;
  private final String series;
  private final Engine engine;
  private final SeriesLog log;
  private final SeriesGarbage garbage;

  /**
   * A series that is to be tidied.
   *
   * @param directory the store
   * @param series the series' name
   */
  public SeriesTidying(final SeriesDirectory directory, final String series) {
    this.directory = directory;
    this.series = series;
    this.engine = directory.engine(series);
    this.log = new SeriesLog(engine);
    this.garbage = new SeriesGarbage(engine, this::names);
  }

  private Set<String> names(final String part) throws IOException {
    final byte[] bytes = engine.getAll(part, StoredPart.MAX_LENGTH);
    return SeriesDirectory.needs(
        PartKey.parse(part).orElseThrow(), StoredPart.decode(engine + "/" + part, bytes));
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
    final Map<SeriesDirectory.Place, Instant> uses = new HashMap<>();
    final Set<String> parts = new HashSet<>();
    for (final LogEntry.Commit commit : removed) {
      for (final String key : commit.keys()) {
        final SeriesDirectory.Place place = place(key);
        if (!uses.containsKey(place)) {
          uses.put(place, lastUsed(place));
        }
        if (isLeft(uses.get(place))) {
          parts.add(key);
        }
      }
    }
    if (!parts.isEmpty()) {
      keepUsed(uses);
      parts.removeIf(key -> !uses.containsKey(place(key)));
      delete(garbage.of(parts));
    }
  }

  /** Of some nodes' stores those stay that are used just now, by whatever clock. */
  private static void keepUsed(final Map<SeriesDirectory.Place, Instant> uses) throws IOException {
    try {
      Thread.sleep(RENEWED);
    } catch (final InterruptedException e) {
      Thread.currentThread().interrupt();
      uses.clear();
    }
    for (final SeriesDirectory.Place place : List.copyOf(uses.keySet())) {
      if (!lastUsed(place).equals(uses.get(place))) {
        uses.remove(place);
      }
    }
  }

  /** The node's store that a part or data is of. */
  private SeriesDirectory.Place place(final String key) {
    return PartKey.parse(key)
        .map(part -> place(part.begin(), part.node()))
        .or(() -> DataKey.parse(key).map(data -> place(data.begin(), data.node())))
        .orElseThrow();
  }

  private SeriesDirectory.Place place(final long begin, final String node) {
    return new SeriesDirectory.Place(directory.root(), series, begin, node);
  }

  /**
   * Whether no process has used a node's store of late, which says so every few seconds. One whose
   * clock is ahead of this node's has.
   */
  private static boolean isLeft(final Instant lastUsed) {
    return Duration.between(lastUsed, Instant.now()).compareTo(AT_REST) > 0;
  }

  private static Instant lastUsed(final SeriesDirectory.Place place) throws IOException {
    try (PosixStore store = PosixStore.open(place.path())) {
      return store.lastUsed();
    } catch (final NoStoreException gone) {
      return Instant.EPOCH;
    }
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
    log.makeDurable();
    final Map<SeriesDirectory.Place, Boolean> left = new HashMap<>();
    final List<String> found = new ArrayList<>();
    for (final String key : garbage.ofEarlierRuns(state.live().values(), state.begin())) {
      final SeriesDirectory.Place place = place(key);
      if (!left.containsKey(place)) {
        left.put(place, isLeft(lastUsed(place)));
      }
      if (left.get(place)) {
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
