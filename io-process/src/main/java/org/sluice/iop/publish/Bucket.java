package org.sluice.iop.publish;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Collectors;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.store.log.StoredPart;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.Keeping;
import org.sluice.core.store.model.Origin;
import org.sluice.core.store.node.PosixStore;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.parts.PartCopy;
import org.sluice.core.store.parts.SeriesObjects;
import org.sluice.core.store.series.FencedException;
import org.sluice.core.store.series.LogEntry;
import org.sluice.core.store.series.PartKey;
import org.sluice.core.store.series.RequiredRanks;
import org.sluice.core.store.series.SeriesRun;
import org.sluice.core.store.series.SeriesStore;
import org.sluice.core.store.stage.StagePlace;
import org.sluice.iop.measure.Retained;
import org.sluice.iop.measure.Warnings;

/**
 * A series in a bucket, as a node on whose stage checkpoints are committed first writes it. The run
 * is used under its own monitor, as in {@link SeriesCommits}.
 */
public final class Bucket implements SeriesStorage, AutoCloseable {
  private final SeriesObjects objects;
  private final Engine engine;
  private final SeriesRun run;
  private final StagePlace place;
  private final PosixStore store;
  private final SeriesCommits commits;
  private final Keeping keep;
  private final List<LogEntry.Commit> live;
  private final NativeFile use;
  private final EarlierRuns earlier;

  /** The parts that this node has put in this run and not deleted. */
  private final List<PartKey> mine = new ArrayList<>();

  /** The numbers of what this node has removed. Guarded by the run. */
  private final List<Long> removed = new ArrayList<>();

  /** The sequences of what earlier runs committed, and is counted. Guarded by the run. */
  private final Set<Long> counted = new HashSet<>();

  /** True once those are known, which no later run adds to. Guarded by the run. */
  private boolean knowsEarlier;

  private PartCopy.Pace pace = bytes -> {};

  /**
   * @param objects the store; closed with this
   * @param place where the node's own store is
   * @param store the node's own store; stays the caller's
   * @param keep how many checkpoints stay
   */
  public Bucket(
      final SeriesObjects objects,
      final StagePlace place,
      final PosixStore store,
      final Keeping keep)
      throws IOException {
    this.objects = objects;
    this.place = place;
    this.store = store;
    this.keep = keep;
    this.engine = objects.engine(place.series());
    this.run = SeriesRun.resume(engine, place.begin(), place.node());
    this.live = List.copyOf(run.live().values());
    if (!store.numbers().isEmpty()) { // another I/O process has put some
      engine.list(PartKey.FOLDER).stream()
          .flatMap(key -> PartKey.parse(key).stream())
          .filter(part -> part.begin() == place.begin() && part.node().equals(place.node()))
          .forEach(mine::add);
    }
    this.commits = new SeriesCommits(run, engine, store, this);
    this.earlier = new EarlierRuns(place, commits.view(), keep);
    this.use = place.use();
    if (store.numbers().isEmpty()) {
      earlier.tell();
    }
  }

  /** Asks before each piece of a copy. */
  void pace(final PartCopy.Pace asked) {
    pace = asked;
  }

  /** Copies what it consists of. */
  @Override
  public StoredPart part(final Commit commit, final PartKey key) throws IOException {
    return PartCopy.copy(store, commit, engine, key, pace);
  }

  @Override
  public SeriesStore open() throws IOException {
    return SeriesObjects.open(place.uri());
  }

  @Override
  public String series() {
    return place.series();
  }

  /** Returns nothing, as a bucket shows nothing of a node before it has copied. */
  @Override
  public Optional<String> noOtherNode() {
    return Optional.empty();
  }

  SeriesCommits commits() {
    return commits;
  }

  PosixStore store() {
    return store;
  }

  boolean has(final Commit commit) {
    try {
      return store.commits(damaged -> {}).stream().anyMatch(one -> one.id() == commit.id());
    } catch (final IOException e) {
      return false;
    }
  }

  /**
   * The numbers of what counted when this process began, and of what the stage has.
   *
   * @param leaving the ids of commits there that count only once all nodes have them
   */
  Set<Long> committed(final Set<Long> leaving) throws IOException {
    final Set<Long> numbers =
        live.stream().map(LogEntry.Commit::number).collect(Collectors.toSet());
    final List<Commit> here = store.commits(damaged -> {});
    here.forEach(commit -> numbers.add(commit.number()));
    here.stream() // an older commit of these may be anywhere
        .filter(commit -> leaving.contains(commit.id()))
        .forEach(commit -> numbers.remove(commit.number()));
    return numbers;
  }

  /** Throws where another run has begun. */
  void look() throws IOException {
    synchronized (run) {
      run.look();
    }
  }

  PartKey part(final PendingUpload one) {
    return commits.part(one.commit(), one.round(), one.growth(), RequiredRanks.ALL);
  }

  /** A checkpoint counts: what is not to stay goes. The thread of {@link #commits}. */
  void counts(final PendingUpload one) {
    final PartKey part = part(one);
    mine.add(part);
    boolean enough = false;
    try {
      if (!keep.isAll()) {
        enough = keepNewest(one.commit(), part.ranks().list().getFirst() == 0);
      }
      deleteGone();
    } catch (final FencedException e) {
      return; // the other run's nodes collect
    } catch (final IOException e) {
      Warnings.warn(
          "checkpoint %d counts, but what is older stays in the bucket: %s"
              .formatted(one.commit().number(), e.getMessage()));
    }
    earlier.counts(enough);
  }

  /** Nothing else is to be done. */
  void idle() {
    earlier.look();
  }

  /**
   * Keeps the newest checkpoints in the order in which they count. The order is the same for all
   * nodes: one of them removes what is older.
   *
   * @return whether as many are there as are to stay
   */
  private boolean keepNewest(final Commit commit, final boolean removes) throws IOException {
    final int stay = keep.atLeast(commit.completion());
    if (removes && keep.countsEarlier() && !knowsEarlier) {
      tryToCountEarlier(commit.source().origin());
    }
    synchronized (run) {
      final SortedMap<Long, LogEntry.Commit> live = run.live();
      final List<Long> all = live.keySet().stream().filter(one -> isCounted(one, live)).toList();
      final List<Long> older = Keeping.older(stay, all, any -> true);
      if (removes && !older.isEmpty()) {
        run.remove((sequence, any) -> older.contains(sequence));
        older.forEach(sequence -> removed.add(live.get(sequence).number()));
      }
      return live.values().stream().filter(this::isOwn).count() >= stay;
    }
  }

  private boolean isOwn(final LogEntry.Commit one) {
    return one.begin() == place.begin();
  }

  private boolean isCounted(final long sequence, final SortedMap<Long, LogEntry.Commit> live) {
    return isOwn(live.get(sequence)) || counted.contains(sequence);
  }

  /** Checkpoints of this run go even if those of earlier runs cannot be read. */
  private void tryToCountEarlier(final Origin own) {
    try {
      countEarlier(own);
    } catch (final IOException e) {
      Warnings.warn(
          "checkpoints of earlier runs stay in the bucket, as it cannot be read: "
              + e.getMessage());
    }
  }

  /** Counts what earlier runs committed; what another simulation did, or is unreadable, stays. */
  private void countEarlier(final Origin own) throws IOException {
    final List<Commit> all = commits.earlier();
    synchronized (run) {
      all.stream()
          .filter(one -> !one.source().origin().isOfAnother(own))
          .forEach(one -> counted.add(one.id()));
      knowsEarlier = true;
    }
  }

  /** Says what this node has removed, and what stays of those that count for that. */
  void report(final Retained to) {
    synchronized (run) {
      removed.forEach(to::removed);
      final SortedMap<Long, LogEntry.Commit> live = run.known();
      to.kept(
          live.keySet().stream()
              .filter(one -> !knowsEarlier || isCounted(one, live))
              .map(one -> live.get(one).number())
              .toList(),
          keep.most());
    }
  }

  private void deleteGone() throws IOException {
    final List<PartKey> gone;
    synchronized (run) {
      gone = run.gone(mine);
    }
    for (final PartKey part : gone) {
      for (final String data : engine.list(part.data())) {
        engine.delete(data);
      }
      engine.delete(part.toString());
      mine.remove(part);
    }
  }

  /** Without it nothing tells whether the log loses its last entry, as behind a kill. */
  void end() {
    try {
      synchronized (run) {
        run.end();
      }
    } catch (final IOException e) {
      Warnings.warn("how far the log goes is not said in the bucket: " + e.getMessage());
    }
  }

  @Override
  public void close() throws IOException {
    commits.close();
    use.close();
    objects.close();
  }
}
