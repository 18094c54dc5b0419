package org.sluice.core.series;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.engine.Engine;
import org.sluice.core.engine.NoObjectException;
import org.sluice.core.fault.Fault.Step;
import org.sluice.core.posix.PosixException;
import org.sluice.core.store.CheckpointReader;
import org.sluice.core.store.Commit;
import org.sluice.core.store.CommittedImage;
import org.sluice.core.store.LeftAsFiles;
import org.sluice.core.store.NoStoreException;
import org.sluice.core.store.RankSet;
import org.sluice.core.store.Rebuilder;
import org.sluice.core.store.StoredPart;

/**
 * What a restart sees of a series, on whichever node: checkpoints of whole jobs. It takes no lock.
 * What is removed meanwhile is gone, and checksums tell. The id of a commit is the sequence of its
 * entry in the log. Not thread-safe, but for {@link #rebuilder}.
 */
public final class SeriesReader implements CheckpointReader {
  private final SeriesStore store;
  private final Engine engine;
  private final SeriesLog log;
  private final PartFetch fetch;
  private final PartReader parts;
  private final Map<Long, LogEntry.Commit> found = new HashMap<>();

  /** The one read last: those of a long series would take all memory. Null for none. */
  private SeriesCheckpoint last;

  /**
   * A reader of a series.
   *
   * @param store the store, closed with this
   * @param series the series' name
   */
  public SeriesReader(final SeriesStore store, final String series) {
    this.store = store;
    this.engine = store.engine(series);
    this.log = new SeriesLog(engine);
    this.fetch = new PartFetch(engine);
    this.parts = store.parts(series);
  }

  @Override
  public String store() {
    return store.toString();
  }

  /** What one of the last run's nodes has left. */
  @Override
  public Optional<LeftAsFiles> leftAsFiles() throws IOException {
    return parts.leftAsFiles(log.read().begin());
  }

  @Override
  public List<Commit> commits(final Consumer<IOException> unreadable) throws IOException {
    final List<Commit> commits = new ArrayList<>();
    for (final Map.Entry<Long, LogEntry.Commit> live : log.read().live().entrySet()) {
      try {
        commits.add(checkpoint(live.getKey(), live.getValue()).commit());
      } catch (final DamagedException | FormatVersionException | PosixException e) {
        if (counts(live.getKey())) { // else it was removed meanwhile
          unreadable.accept(e);
        }
      }
    }
    return commits;
  }

  private boolean counts(final long sequence) throws IOException {
    return log.read().live().containsKey(sequence);
  }

  @Override
  public Set<Long> numbers() throws IOException {
    final Set<Long> numbers = new TreeSet<>();
    log.read().live().values().forEach(commit -> numbers.add(commit.number()));
    return numbers;
  }

  /**
   * How far the log goes at this moment.
   *
   * @return the sequence of its last entry, 0 for none
   * @throws IOException when it cannot be read
   */
  public long last() throws IOException {
    return log.read().last();
  }

  @Override
  public Optional<Commit> find(final long number) throws IOException {
    for (final Map.Entry<Long, LogEntry.Commit> live : log.read().live().entrySet()) {
      if (live.getValue().number() == number) {
        try {
          return Optional.of(checkpoint(live.getKey(), live.getValue()).commit());
        } catch (final IOException e) {
          if (counts(live.getKey())) {
            throw e;
          }
          return find(number); // it was removed meanwhile, or superseded
        }
      }
    }
    return Optional.empty();
  }

  @Override
  public boolean whileHeld(final Commit commit, final Step<IOException> reading)
      throws IOException {
    try {
      reading.run();
      return true;
    } catch (final IOException e) {
      if (counts(commit.id())) {
        throw e;
      }
      return false;
    }
  }

  @Override
  public List<CommittedImage> images(final Commit commit) throws IOException {
    return checkpoint(commit).images();
  }

  @Override
  public Map<Integer, String> owners(final Commit commit) throws IOException {
    final List<String> keys = new ArrayList<>(SeriesLog.keys(commit.id()));
    for (final String key : found.get(commit.id()).keys()) {
      keys.add(key);
      keys.add(key.substring(0, key.lastIndexOf('/') + 1));
    }
    final Map<Integer, String> owners = new TreeMap<>();
    parts.addOwners(owners, keys);
    for (final PartReader.Part part : checkpoint(commit).parts()) {
      part.addOwners(owners);
    }
    return owners;
  }

  @Override
  public boolean knowsOwners() {
    return parts.knowsOwners();
  }

  @Override
  public Rebuilder rebuilder(final Commit commit, final boolean oneOfSeveral) {
    return new SeriesRebuilder(() -> checkpoint(commit), oneOfSeveral);
  }

  @Override
  public void verify(
      final Commit commit, final Consumer<IOException> damage, final LongConsumer progress)
      throws IOException {
    final List<IOException> all = new ArrayList<>();
    for (final PartReader.Part part : checkpoint(commit).parts()) {
      part.verify(all::add, progress);
    }
    if (!all.isEmpty() && !counts(commit.id())) {
      throw new NoSuchFileException("checkpoint " + commit.number()); // removed meanwhile
    }
    all.forEach(damage);
  }

  /**
   * What the log says of a checkpoint that counts. Of its parts only that of one node is read.
   *
   * @param place the node's
   * @param number the checkpoint's number
   * @param partId the id of a commit that the node has made for itself
   * @return the round of the checkpoint, if that commit is a part of it; empty otherwise
   * @throws IOException when it cannot be read
   */
  public Optional<Long> roundOf(
      final SeriesDirectory.Place place, final long number, final long partId) throws IOException {
    for (final Map.Entry<Long, LogEntry.Commit> live : log.read().live().entrySet()) {
      if (live.getValue().number() == number && has(live.getValue(), place, partId)) {
        return Optional.of(live.getValue().round());
      }
    }
    return Optional.empty();
  }

  private boolean has(
      final LogEntry.Commit commit, final SeriesDirectory.Place place, final long partId)
      throws IOException {
    for (final String name : commit.keys()) {
      final PartKey key = PartKey.parse(name).orElseThrow();
      if (key.begin() == place.begin() && key.node().equals(place.node())) {
        return part(key).commit().id() == partId;
      }
    }
    return false;
  }

  /**
   * The checkpoints under way: of the last run, with parts of some ranks only.
   *
   * @param unreadable told of each part that is damaged or of another version
   * @return by number
   * @throws IOException when they cannot be read
   */
  public List<Waiting> waiting(final Consumer<IOException> unreadable) throws IOException {
    final SeriesState state = log.read();
    final SortedMap<String, List<PartKey>> folders = new TreeMap<>();
    for (final String key : engine.list(PartKey.FOLDER)) {
      PartKey.parse(key)
          .filter(part -> part.begin() == state.begin())
          .filter(part -> !state.isDecided(part.number(), part.round()))
          .ifPresent(
              part ->
                  folders
                      .computeIfAbsent(
                          PartKey.folder(part.number(), part.begin(), part.round()),
                          any -> new ArrayList<>())
                      .add(part));
    }
    final List<Waiting> waiting = new ArrayList<>();
    for (final List<PartKey> parts : folders.values()) {
      try {
        waiting.add(waiting(parts));
      } catch (final NoObjectException gone) {
        // it was committed and removed meanwhile
      } catch (final DamagedException | FormatVersionException | PosixException e) {
        unreadable.accept(e);
      }
    }
    return waiting;
  }

  private Waiting waiting(final List<PartKey> parts) throws IOException {
    final PartKey first = parts.getFirst();
    final int ranks = Math.max(1, part(first).commit().ranks());
    RankSet there = RankSet.NONE;
    for (final PartKey part : parts) {
      there = there.with(part.ranks());
    }
    return new Waiting(first.number(), ranks, there.missing(ranks), parts.size());
  }

  private synchronized SeriesCheckpoint checkpoint(final Commit commit) throws IOException {
    return checkpoint(commit.id(), found.get(commit.id()));
  }

  private synchronized SeriesCheckpoint checkpoint(final long sequence, final LogEntry.Commit entry)
      throws IOException {
    if (last == null || last.commit().id() != sequence) {
      last = read(sequence, entry);
      found.put(sequence, entry);
    }
    return last;
  }

  private SeriesCheckpoint read(final long sequence, final LogEntry.Commit entry)
      throws IOException {
    final List<PartKey> keys =
        entry.keys().stream().map(key -> PartKey.parse(key).orElseThrow()).toList();
    final List<StoredPart> stored = fetch.all(keys);
    final List<PartReader.Part> opened = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      try {
        opened.add(parts.open(keys.get(i), stored.get(i)));
      } catch (final NoStoreException missing) {
        throw fetch.damaged(
            keys.get(i).toString(), "what it names is missing: " + missing.getMessage(), missing);
      }
    }
    return SeriesCheckpoint.of(sequence, entry, opened);
  }

  private StoredPart part(final PartKey key) throws IOException {
    return fetch.one(key);
  }

  @Override
  public void close() throws IOException {
    parts.close();
    engine.close();
    store.close();
  }
}
