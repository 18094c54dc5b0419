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
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.store.directory.NodeIdentity;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.node.CheckpointReader;
import org.sluice.core.store.node.Leftover;
import org.sluice.core.store.node.StoreTidying;
import org.sluice.core.store.objects.Engine;

/**
 * The removal of checkpoints of a series, and of objects that earlier runs left. Any node may do
 * so, also beside a run that goes on. Not thread-safe.
 */
public final class SeriesTidying implements StoreTidying {
  /**
   * The longest time that a killed process may take to be resumed. A live process says several
   * times as often that it uses its files.
   */
  private static final Duration AT_REST = Duration.ofMinutes(1);

  private final SeriesStore store;
  private final String series;
  private final Engine engine;
  private final SeriesReader reader;
  private final SeriesLog log;
  private final SeriesGarbage garbage;
  private final IdleDetector<String> uses;

  /** The sequence of the log's last entry when {@link #candidates} were listed. */
  private long last;

  private boolean isDamaged;

  /**
   * @param store the store, closed with this
   * @param series name of a series of it
   */
  public SeriesTidying(final SeriesStore store, final String series) {
    this(store, series, AT_REST);
  }

  public SeriesTidying(final SeriesStore store, final String series, final Duration rest) {
    this.store = store;
    this.series = series;
    this.engine = store.engine(series);
    this.reader = new SeriesReader(store, series);
    this.log = new SeriesLog(engine);
    this.garbage = new SeriesGarbage(engine, store.needs(series));
    this.uses = new IdleDetector<>(place -> store.lastUsed(series, place), rest);
  }

  @Override
  public CheckpointReader reader() {
    return reader;
  }

  @Override
  public List<Commit> candidates(final boolean dryRun) throws IOException {
    last = reader.last();
    return reader.commits(unreadable -> {});
  }

  /**
   * Removes checkpoints: in the log first, and then their bytes. A process that reads one finds it
   * gone.
   *
   * @return none
   * @throws IOException when that fails; checkpoints removed in the log do not count then, and
   *     their bytes go with the next run, as do bytes that a live process may use
   */
  @Override
  public List<Long> remove(final Collection<Long> numbers) throws IOException {
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
    delete(garbage.of(parts, log.read().live()), count -> {});
    return List.of();
  }

  /** Finds damaged entries, and goes on without them, see {@link SeriesRepair}. */
  @Override
  public List<Leftover> setAsideDamagedLogs(final boolean dryRun) throws IOException {
    final List<Leftover> damaged = new ArrayList<>();
    for (final DamagedException one : SeriesRepair.of(engine, reader, dryRun)) {
      damaged.add(new Leftover(Leftover.Kind.LOG, one.file(), one.file(), 0));
    }
    isDamaged = !damaged.isEmpty();
    return damaged;
  }

  /**
   * Removes what {@link #find} finds, at once. The call takes a minute, if a process was killed
   * whose files are there.
   */
  @Override
  public List<Leftover> collectGarbage(
      final boolean dryRun, final Consumer<IOException> unreadable, final LongConsumer left)
      throws IOException {
    final List<Leftover> found = new ArrayList<>();
    if (!isDamaged) {
      final Set<String> unused = awaitLeft(unneeded());
      final List<String> keys =
          unneeded().stream().filter(key -> unused.contains(place(key))).toList();
      for (final String key : keys) {
        final String path = engine(key) + "/" + key;
        found.add(new Leftover(Leftover.Kind.EARLIER, key, path, engine(key).size(key)));
      }
      if (!dryRun) {
        delete(keys, left);
      }
    }
    return found;
  }

  /** Returns the places of some keys that no process uses any more. */
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

  /** Returns the place that shows whether a key is used: the node's folder, or a draft itself. */
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
   * Finds objects that earlier runs left and no commit needs, drafts of killed processes, and
   * remains of a store's making. A live process of an earlier run may not know yet that it is
   * fenced. Such a process has yet to make plain files of its uncommitted images. So objects not
   * known to be unused wait for a further call, a minute after the first.
   */
  List<String> find() throws IOException {
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

  /** Deletes what {@link #find} finds. */
  public void deleteFound() throws IOException {
    delete(find(), count -> {});
  }

  private List<String> unneeded() throws IOException {
    final SeriesState state = log.read();
    log.makeDurable();
    final List<String> keys = new ArrayList<>(garbage.ofEarlierRuns(state.live(), state.begin()));
    keys.addAll(store.drafts(series));
    keys.addAll(store.remains());
    return keys;
  }

  private void delete(final List<String> keys, final LongConsumer left) throws IOException {
    long count = keys.size();
    for (final String key : keys) {
      left.accept(count--);
      engine(key).delete(key);
    }
  }

  /** Remains of the store's making are beside the series. */
  private Engine engine(final String key) {
    return key.contains("/") ? engine : store.whole();
  }

  @Override
  public void close() throws IOException {
    engine.close();
    reader.close();
  }
}
