package org.sluice.core.store.series;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.sluice.core.store.directory.NodeIdentity;
import org.sluice.core.store.objects.Engine;

/**
 * Removes checkpoints of a series, and what is left of earlier runs, on whichever node and beside a
 * run that goes on. Not thread-safe.
 */
public final class SeriesTidying implements AutoCloseable {
  /**
   * So long a process that was killed may take to be resumed. A live one says several times as
   * often that it uses its files.
   */
  private static final Duration AT_REST = Duration.ofMinutes(1);

  private final SeriesStore store;
  private final String series;
  private final Engine engine;
  private final SeriesLog log;
  private final SeriesGarbage garbage;
  private final IdleDetector<String> uses;

  /**
   * A series that is to be tidied.
   *
   * @param store the store, which stays the caller's
   * @param series the series' name
   */
  public SeriesTidying(final SeriesStore store, final String series) {
    this(store, series, AT_REST);
  }

  /**
   * A series that is to be tidied by another patience.
   *
   * @param store the store, which stays the caller's
   * @param series the series' name
   * @param rest for how long nothing of a run may have moved before it counts as dead
   */
  public SeriesTidying(final SeriesStore store, final String series, final Duration rest) {
    this.store = store;
    this.series = series;
    this.engine = store.engine(series);
    this.log = new SeriesLog(engine);
    this.garbage = new SeriesGarbage(engine, store.needs(series));
    this.uses = new IdleDetector<>(place -> store.lastUsed(series, place), rest);
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
    final SortedMap<Long, LogEntry.Commit> removed = new TreeMap<>();
    final String node = PartKey.node(NodeIdentity.self().name());
    log.append(
        state -> {
          removed.clear();
          return state.removal(
              node,
              (sequence, commit) -> {
                final boolean goes = sequence <= last && numbers.contains(commit.number());
                if (goes) {
                  removed.put(sequence, commit);
                }
                return goes;
              });
        });
    final Set<CommittedPart> parts = new HashSet<>();
    removed.forEach((sequence, commit) -> parts.addAll(CommittedPart.of(sequence, commit)));
    final Set<String> left = awaitLeft(parts.stream().map(part -> part.key().toString()).toList());
    parts.removeIf(part -> !left.contains(place(part.key().toString())));
    delete(garbage.of(parts, log.read().live()));
  }

  /** The places of some keys that no process uses any more. */
  private Set<String> awaitLeft(final Collection<String> keys) throws IOException {
    final Set<String> all = new HashSet<>();
    keys.forEach(key -> all.add(place(key)));
    final Set<String> left = new HashSet<>();
    for (final String place : all) {
      if (isUnused(place)) {
        left.add(place);
      }
    }
    all.removeAll(left);
    left.addAll(uses.await(all));
    return left;
  }

  /** Where it shows whether a key is used: what the node has there, or a draft itself. */
  private static String place(final String key) {
    return PartKey.parse(key)
        .map(part -> DataKey.folder(part.begin(), part.node()))
        .or(() -> DataKey.parse(key).map(data -> DataKey.folder(data.begin(), data.node())))
        .orElse(key);
  }

  private boolean isUnused(final String place) throws IOException {
    return store.lastUsed(series, place).isEmpty();
  }

  /**
   * Finds what earlier runs left and no commit needs, and what killed processes left of objects, or
   * when they made the store. A process of an earlier run may live that does not know yet that it
   * is fenced, and has yet to make plain files of what it did not commit. So what is not known to
   * be left waits for a further call, a minute behind the first.
   *
   * @return the keys of what it is
   * @throws IOException when that fails
   */
  public List<String> find() throws IOException {
    final Map<String, Boolean> left = new HashMap<>();
    final List<String> found = new ArrayList<>();
    for (final String key : unneeded()) {
      final String place = place(key);
      if (!left.containsKey(place)) {
        left.put(place, isUnused(place) || uses.is(place));
      }
      if (left.get(place)) {
        found.add(key);
      }
    }
    return found;
  }

  /**
   * The same at once: it takes a minute, if a process was killed whose files are there.
   *
   * @return the keys of what it is
   * @throws IOException when that fails
   */
  public List<String> await() throws IOException {
    final Set<String> left = awaitLeft(unneeded());
    return unneeded().stream().filter(key -> left.contains(place(key))).toList();
  }

  private List<String> unneeded() throws IOException {
    final SeriesState state = log.read();
    log.makeDurable();
    final List<String> keys = new ArrayList<>(garbage.ofEarlierRuns(state.live(), state.begin()));
    keys.addAll(store.drafts(series));
    keys.addAll(store.remains());
    return keys;
  }

  /**
   * Deletes what was found.
   *
   * @param keys from {@link #find}; each may be gone already
   * @throws IOException when that fails
   */
  public void delete(final List<String> keys) throws IOException {
    for (final String key : keys) {
      engine(key).delete(key);
    }
  }

  /**
   * How long something is that was found.
   *
   * @param key from {@link #find}
   * @return bytes; 0 when it is gone
   * @throws IOException when that fails
   */
  public long size(final String key) throws IOException {
    return engine(key).size(key);
  }

  /**
   * Where something is that was found.
   *
   * @param key from {@link #find}
   * @return a path, or a URI
   */
  public String path(final String key) {
    return engine(key) + "/" + key;
  }

  /** What killed creators of the store left is beside the series. */
  private Engine engine(final String key) {
    return key.contains("/") ? engine : store.whole();
  }

  @Override
  public void close() throws IOException {
    engine.close();
  }
}
