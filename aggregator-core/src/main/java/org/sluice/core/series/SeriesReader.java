package org.sluice.core.series;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
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
import org.sluice.core.store.CheckpointReader;
import org.sluice.core.store.Commit;
import org.sluice.core.store.CommittedImage;
import org.sluice.core.store.LeftAsFiles;
import org.sluice.core.store.NoStoreException;
import org.sluice.core.store.PosixStore;
import org.sluice.core.store.RankSet;
import org.sluice.core.store.Rebuilder;
import org.sluice.core.store.StoredPart;

/**
 * What a restart sees of a series, on whichever node: checkpoints of whole jobs. It takes no lock.
 * What is removed meanwhile is gone, and checksums tell. The id of a commit is the sequence of its
 * entry in the log. Not thread-safe, but for {@link #rebuilder}.
 */
public final class SeriesReader implements CheckpointReader {
  private final SeriesDirectory directory;
  private final String series;
  private final Engine engine;
  private final SeriesLog log;
  private final Map<Path, PosixStore> stores = new HashMap<>();
  private final Map<Long, SeriesCheckpoint> known = new HashMap<>();

  /**
   * A reader of a series.
   *
   * @param directory the store
   * @param series the series' name
   */
  public SeriesReader(final SeriesDirectory directory, final String series) {
    this.directory = directory;
    this.series = series;
    this.engine = directory.engine(series);
    this.log = new SeriesLog(engine);
  }

  @Override
  public Path directory() {
    return directory.root();
  }

  /** What one of the last run's nodes has left. */
  @Override
  public Optional<LeftAsFiles> leftAsFiles() throws IOException {
    for (final SeriesDirectory.Place place : directory.places(series, log.read().begin())) {
      final Optional<LeftAsFiles> left = store(place).leftAsFiles();
      if (left.isPresent()) {
        return left;
      }
    }
    return Optional.empty();
  }

  @Override
  public List<Commit> commits(final Consumer<IOException> unreadable) throws IOException {
    final List<Commit> commits = new ArrayList<>();
    for (final Map.Entry<Long, LogEntry.Commit> live : log.read().live().entrySet()) {
      try {
        commits.add(checkpoint(live.getKey(), live.getValue()).commit());
      } catch (final DamagedException | FormatVersionException e) {
        unreadable.accept(e);
      } catch (final NoObjectException | NoStoreException e) {
        if (log.read().live().containsKey(live.getKey())) { // else it was removed meanwhile
          unreadable.accept(damaged(e));
        }
      }
    }
    return commits;
  }

  private static DamagedException damaged(final IOException missing) {
    final DamagedException damage = new DamagedException(missing.getMessage(), 0, "it is missing");
    damage.initCause(missing);
    return damage;
  }

  @Override
  public Set<Long> numbers() throws IOException {
    final Set<Long> numbers = new TreeSet<>();
    log.read().live().values().forEach(commit -> numbers.add(commit.number()));
    return numbers;
  }

  @Override
  public Optional<Commit> find(final long number) throws IOException {
    for (final Map.Entry<Long, LogEntry.Commit> live : log.read().live().entrySet()) {
      if (live.getValue().number() == number) {
        return Optional.of(checkpoint(live.getKey(), live.getValue()).commit());
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
      if (log.read().live().containsKey(commit.id())) {
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
    final Map<Integer, String> owners = new TreeMap<>();
    for (final SeriesCheckpoint.Part part : checkpoint(commit).parts()) {
      owners.putAll(part.store().owners(part.commit()));
    }
    return owners;
  }

  @Override
  public Rebuilder rebuilder(final Commit commit, final boolean oneOfSeveral) {
    return new SeriesRebuilder(known.get(commit.id()), oneOfSeveral);
  }

  @Override
  public void verify(
      final Commit commit, final Consumer<IOException> damage, final LongConsumer progress)
      throws IOException {
    for (final SeriesCheckpoint.Part part : checkpoint(commit).parts()) {
      part.store().verify(part.commit(), part.images(), damage, progress);
    }
  }

  /**
   * What the log says of a checkpoint that counts.
   *
   * @param number its number
   * @param partId the id of a commit that a node has made for itself
   * @return the round of the checkpoint, if that commit is a part of it; empty otherwise
   * @throws IOException when it cannot be read
   */
  public Optional<Long> roundOf(final long number, final long partId) throws IOException {
    for (final Map.Entry<Long, LogEntry.Commit> live : log.read().live().entrySet()) {
      if (live.getValue().number() == number
          && checkpoint(live.getKey(), live.getValue()).parts().stream()
              .anyMatch(part -> part.commit().id() == partId)) {
        return Optional.of(live.getValue().round());
      }
    }
    return Optional.empty();
  }

  /**
   * The checkpoints under way: of the last run, with parts of some ranks only.
   *
   * @return by number
   * @throws IOException when they cannot be read
   */
  public List<Waiting> waiting() throws IOException {
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
      waiting.add(waiting(parts));
    }
    return waiting;
  }

  private Waiting waiting(final List<PartKey> parts) throws IOException {
    final PartKey first = parts.getFirst();
    final String key = first.toString();
    final byte[] bytes = engine.getAll(key, StoredPart.MAX_LENGTH);
    final int ranks = StoredPart.decode(engine + "/" + key, bytes).commit().ranks();
    RankSet there = RankSet.NONE;
    for (final PartKey part : parts) {
      there = there.with(part.ranks());
    }
    return new Waiting(first.number(), ranks, there.missing(ranks), parts.size());
  }

  private SeriesCheckpoint checkpoint(final Commit commit) throws IOException {
    final SeriesCheckpoint checkpoint = known.get(commit.id());
    if (checkpoint == null) {
      throw new NoSuchFileException("checkpoint " + commit.number());
    }
    return checkpoint;
  }

  private SeriesCheckpoint checkpoint(final long sequence, final LogEntry.Commit entry)
      throws IOException {
    SeriesCheckpoint checkpoint = known.get(sequence);
    if (checkpoint == null) {
      checkpoint = read(sequence, entry);
      known.put(sequence, checkpoint);
    }
    return checkpoint;
  }

  private SeriesCheckpoint read(final long sequence, final LogEntry.Commit entry)
      throws IOException {
    final List<SeriesCheckpoint.Part> parts = new ArrayList<>();
    for (final String name : entry.keys()) {
      final PartKey key = PartKey.parse(name).orElseThrow();
      final byte[] bytes = engine.getAll(name, StoredPart.MAX_LENGTH);
      final StoredPart part = StoredPart.decode(engine + "/" + name, bytes);
      final PosixStore store =
          store(new SeriesDirectory.Place(directory.root(), series, key.begin(), key.node()));
      parts.add(new SeriesCheckpoint.Part(store, part.commit(), part.images()));
    }
    return SeriesCheckpoint.of(sequence, entry, parts);
  }

  private PosixStore store(final SeriesDirectory.Place place) throws IOException {
    PosixStore store = stores.get(place.path());
    if (store == null) {
      store = PosixStore.open(place.path());
      stores.put(place.path(), store);
    }
    return store;
  }

  @Override
  public void close() throws IOException {
    for (final PosixStore store : stores.values()) {
      store.close();
    }
    engine.close();
  }
}
