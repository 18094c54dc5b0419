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
import org.sluice.core.posix.PosixException;
import org.sluice.core.store.CheckpointReader;
import org.sluice.core.store.Commit;
import org.sluice.core.store.CommittedImage;
import org.sluice.core.store.LeftAsFiles;
import org.sluice.core.store.NoStoreException;
import org.sluice.core.store.Owners;
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
  private final Map<Long, LogEntry.Commit> found = new HashMap<>();

  /** The one read last: those of a long series would take all memory. Null for none. */
  private SeriesCheckpoint last;

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
      try {
        final Optional<LeftAsFiles> left = store(place).leftAsFiles();
        if (left.isPresent()) {
          return left;
        }
      } catch (final NoStoreException notYet) {
        // its node has just begun
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
    final Path objects = directory.root().resolve(series);
    final Map<Integer, String> owners = new TreeMap<>();
    Owners.add(owners, directory.root());
    Owners.add(owners, objects);
    for (final String key : SeriesLog.keys(commit.id())) {
      Owners.add(owners, objects.resolve(key));
    }
    for (final String key : found.get(commit.id()).keys()) {
      Owners.add(owners, objects.resolve(key).getParent());
      Owners.add(owners, objects.resolve(key));
    }
    for (final SeriesCheckpoint.Part part : checkpoint(commit).parts()) {
      owners.putAll(part.store().owners(part.commit()));
    }
    return owners;
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
    for (final SeriesCheckpoint.Part part : checkpoint(commit).parts()) {
      part.store().verify(part.commit(), part.images(), all::add, progress);
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
    final RankSet.Union there = new RankSet.Union();
    parts.forEach(part -> there.add(part.ranks()));
    return new Waiting(first.number(), ranks, there.ranks().missing(ranks), parts.size());
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
    final List<SeriesCheckpoint.Part> parts = new ArrayList<>();
    for (final String name : entry.keys()) {
      final PartKey key = PartKey.parse(name).orElseThrow();
      try {
        final StoredPart part = part(key);
        final PosixStore store =
            store(new SeriesDirectory.Place(directory.root(), series, key.begin(), key.node()));
        parts.add(new SeriesCheckpoint.Part(store, part.commit(), part.images()));
      } catch (final NoObjectException missing) {
        throw damaged(name, "it is missing", missing);
      } catch (final NoStoreException missing) {
        throw damaged(name, "what it names is missing: " + missing.getMessage(), missing);
      }
    }
    return SeriesCheckpoint.of(sequence, entry, parts);
  }

  private StoredPart part(final PartKey key) throws IOException {
    final byte[] bytes = engine.getAll(key.toString(), StoredPart.MAX_LENGTH);
    final StoredPart part = StoredPart.decode(engine + "/" + key, bytes);
    if (part.commit().number() != key.number() || !part.ranks().equals(key.ranks())) {
      throw damaged(key.toString(), "the part of another checkpoint or node stands here", null);
    }
    return part;
  }

  private DamagedException damaged(final String key, final String why, final IOException cause) {
    final DamagedException damage = new DamagedException(engine + "/" + key, 0, why);
    damage.initCause(cause);
    return damage;
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
