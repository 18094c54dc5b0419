package org.sluice.core.store.series;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.fault.Fault.Step;
import org.sluice.core.libc.PosixException;
import org.sluice.core.store.directory.LeftAsFiles;
import org.sluice.core.store.disk.NoStoreException;
import org.sluice.core.store.log.StoredPart;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.Rebuilder;
import org.sluice.core.store.model.Sharing;
import org.sluice.core.store.node.CheckpointReader;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.objects.NoObjectException;

/**
 * A series as a restart sees it, on any node: checkpoints of whole jobs. The reader takes no lock.
 * A checkpoint that is removed meanwhile is gone, and checksums tell. The id of a commit is the
 * sequence of its entry in the log. Not thread-safe, but for {@link #rebuilder}.
 */
public final class SeriesReader implements CheckpointReader {
  private final SeriesStore store;
  private final String series;
  private final Engine engine;
  private final SeriesLog log;

  /** The damage found so far, by its place. */
  private final SequencedMap<String, DamagedException> damage = new LinkedHashMap<>();

  private final PartFetch fetch;
  private final PartReader parts;
  private final Map<Long, LogEntry.Commit> found = new HashMap<>();

  /**
   * The checkpoint read last; null for none. All checkpoints of a long series would fill the
   * memory.
   */
  private SeriesCheckpoint last;

  /**
   * @param store the store, closed with this
   */
  public SeriesReader(final SeriesStore store, final String series) {
    this.store = store;
    this.series = series;
    this.engine = store.engine(series);
    this.log =
        SeriesLog.toRead(
            engine, found -> damage.putIfAbsent(found.file(), SeriesLog.advised(found)));
    this.fetch = new PartFetch(engine);
    this.parts = store.parts(series);
  }

  @Override
  public String store() {
    return store.toString();
  }

  @Override
  public Optional<String> series() {
    return Optional.of(series);
  }

  /** Returns the plain files that one of the last run's nodes left. */
  @Override
  public Optional<LeftAsFiles> leftAsFiles() throws IOException {
    return parts.leftAsFiles(log.read().begin());
  }

  @Override
  public List<Commit> commits(final Consumer<IOException> unreadable) throws IOException {
    return commits(0, unreadable);
  }

  /**
   * Checks the log against the parts and the nodes' stores. A run begins before any object of it
   * exists, and its nodes record the last entry that they read.
   */
  @Override
  public void verifyStore(final Consumer<IOException> unreadable) throws IOException {
    final long last =
        engine.list(PartKey.FOLDER).stream()
            .flatMap(key -> PartKey.parse(key).stream())
            .mapToLong(PartKey::begin)
            .reduce(parts.verifyStores(unreadable), Math::max);
    lost(last).forEach(unreadable);
    knowsRuns(); // their damage is reported with that of other entries
  }

  /** Returns whether the begins of all runs can be read, as the next run reads them. */
  boolean knowsRuns() throws IOException {
    log.read();
    final int before = damage.size();
    log.beginOf(any -> false);
    return damage.size() == before;
  }

  /**
   * Returns the entries lost since one node of the last run read them: the other nodes have read no
   * more.
   */
  @Override
  public List<DamagedException> lost() throws IOException {
    final SeriesState state = log.read();
    final Optional<LogEntry.Begin> run = state.owner();
    return run.isEmpty() ? List.of() : lost(parts.last(state.begin(), run.get().node()));
  }

  private List<DamagedException> lost(final long last) throws IOException {
    return log.read().last() < last ? List.of(log.missing(last)) : List.of();
  }

  /**
   * Returns the doubts whether a commit is the newest. The order of the log tells which is older.
   * The content of a damaged entry is unknown.
   */
  @Override
  public List<IOException> doubts(final Commit commit) throws IOException {
    final List<IOException> doubts = new ArrayList<>();
    commits(commit.id(), doubts::add);
    return doubts;
  }

  private List<Commit> commits(final long first, final Consumer<IOException> unreadable)
      throws IOException {
    final List<Commit> commits = new ArrayList<>();
    final Set<Map.Entry<Long, LogEntry.Commit>> counting =
        log.read().live().tailMap(first).entrySet();
    damage.values().forEach(unreadable);
    for (final Map.Entry<Long, LogEntry.Commit> live : counting) {
      try {
        commits.add(checkpoint(live.getKey(), live.getValue()).commit());
      } catch (final DamagedException | FormatVersionException | PosixException e) {
        if (counts(live.getKey())) { // else the commit was removed meanwhile
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

  /** Returns the sequence of the log's last entry at this moment, 0 for none. */
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
          return find(number); // the commit was removed meanwhile, or superseded
        }
      }
    }
    refuseDamage();
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
    for (final CommittedPart part : CommittedPart.of(commit.id(), found.get(commit.id()))) {
      if (part.isObject()) {
        keys.add(part.key().toString());
        keys.add(PartKey.folder(part.key().number(), part.key().begin(), part.key().round()));
      }
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
    for (final CommittedImage image : Sharing.direct(checkpoint(commit).images())) {
      try {
        image.sharing().check(image.size());
        progress.accept(image.size());
      } catch (final IOException e) {
        all.add(e);
      }
    }
    if (!all.isEmpty() && !counts(commit.id())) {
      throw new NoSuchFileException("checkpoint " + commit.number()); // removed meanwhile
    }
    all.forEach(damage);
  }

  /**
   * Returns the round of a checkpoint that counts.
   *
   * @param partId id of a commit in the node's own store
   * @return the round of the checkpoint, if that commit is a part of it; empty otherwise
   */
  public Optional<Long> roundOf(
      final long begin, final String node, final long number, final long partId)
      throws IOException {
    for (final Map.Entry<Long, LogEntry.Commit> live : log.read().live().entrySet()) {
      if (live.getValue().number() == number
          && has(live.getKey(), live.getValue(), begin, node, partId)) {
        return Optional.of(live.getValue().round());
      }
    }
    refuseDamage();
    return Optional.empty();
  }

  /** Refuses a search in a damaged log: a damaged entry may have what was not found. */
  private void refuseDamage() throws DamagedException {
    if (!damage.isEmpty()) {
      throw damage.firstEntry().getValue();
    }
  }

  /** Returns the damage of the log's entries that cannot be read, as far as they matter. */
  List<DamagedException> damage() {
    return List.copyOf(damage.values());
  }

  /** Returns those commits that may count and whose bytes are all there, by sequence. */
  SortedMap<Long, LogEntry.Commit> wholeOfUncertain() throws IOException {
    final SortedMap<Long, LogEntry.Commit> whole = log.read().uncertain();
    for (final long sequence : List.copyOf(whole.keySet())) {
      final List<IOException> lacks = new ArrayList<>();
      try {
        for (final PartReader.Part part : checkpoint(sequence, whole.get(sequence)).parts()) {
          part.verify(lacks::add, bytes -> {});
        }
      } catch (final DamagedException | FormatVersionException | PosixException e) {
        lacks.add(e);
      }
      if (!lacks.isEmpty()) {
        whole.remove(sequence);
      }
    }
    return whole;
  }

  private boolean has(
      final long sequence,
      final LogEntry.Commit commit,
      final long begin,
      final String node,
      final long partId)
      throws IOException {
    for (final CommittedPart part : CommittedPart.of(sequence, commit)) {
      if (part.key().begin() == begin && part.key().node().equals(node)) {
        return fetch.one(part).commit().id() == partId;
      }
    }
    return false;
  }

  /**
   * Returns the checkpoints under way: of the last run, with parts of some ranks only. None are
   * returned where a damaged entry of the log may have committed them.
   *
   * @param unreadable told of each part that is damaged or of another version
   */
  public List<Waiting> waiting(final Consumer<IOException> unreadable) throws IOException {
    final SeriesState state = log.read();
    if (!damage.isEmpty()) {
      return List.of();
    }
    final SortedMap<String, List<PartKey>> folders = new TreeMap<>();
    for (final String key : engine.list(PartKey.FOLDER)) {
      PartKey.parse(key)
          .filter(part -> part.begin() == state.begin())
          .ifPresent(
              part ->
                  folders
                      .computeIfAbsent(
                          PartKey.folder(part.number(), part.begin(), part.round()),
                          any -> new ArrayList<>())
                      .add(part));
    }
    final List<Waiting> waiting = new ArrayList<>();
    folders
        .values()
        .removeIf(
            parts ->
                parts.stream().allMatch(part -> state.isDecided(part) || state.isRemoved(part)));
    for (final List<PartKey> parts : folders.values()) {
      try {
        waiting.add(waiting(parts));
      } catch (final NoObjectException gone) {
        // the checkpoint was committed and removed meanwhile
      } catch (final DamagedException | FormatVersionException | PosixException e) {
        unreadable.accept(e);
      }
    }
    return waiting;
  }

  private Waiting waiting(final List<PartKey> parts) throws IOException {
    final Collection<PartKey> newest = Decision.newest(parts);
    final PartKey first = parts.getLast();
    final int ranks =
        Math.max(1, fetch.one(new CommittedPart(first, 0)).commit().coverage().ranks());
    return new Waiting(first.number(), ranks, PartSet.of(newest).missing(ranks), newest.size());
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
    final List<CommittedPart> all = CommittedPart.of(sequence, entry);
    final List<StoredPart> stored = fetch.all(all);
    final List<PartReader.Part> opened = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      final PartKey key = all.get(i).key();
      try {
        opened.add(parts.open(key, stored.get(i)));
      } catch (final NoStoreException missing) {
        throw fetch.damaged(
            key.toString(), "what it names is missing: " + missing.getMessage(), missing);
      }
    }
    return SeriesCheckpoint.of(sequence, entry, opened);
  }

  @Override
  public void close() throws IOException {
    parts.close();
    engine.close();
    store.close();
  }
}
