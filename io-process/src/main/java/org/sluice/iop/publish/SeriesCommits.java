package org.sluice.iop.publish;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.sluice.core.store.directory.RememberedGrouping;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.RankSet;
import org.sluice.core.store.node.PosixStore;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.series.FencedException;
import org.sluice.core.store.series.LoggedOnce;
import org.sluice.core.store.series.PartKey;
import org.sluice.core.store.series.PartsCheck;
import org.sluice.core.store.series.RefusedException;
import org.sluice.core.store.series.RequiredRanks;
import org.sluice.core.store.series.SeriesGrouping;
import org.sluice.core.store.series.SeriesReader;
import org.sluice.core.store.series.SeriesRun;
import org.sluice.core.store.series.SeriesTidying;
import org.sluice.iop.measure.Warnings;

/**
 * The part of this node in a series. A checkpoint that the node has committed for itself counts
 * once the nodes of all ranks have, and the series' log says so.
 *
 * <p>The last stage puts parts. A thread of its own then looks at the log, and commits there what
 * is complete, see {@link CommitPolling}. So a checkpoint costs few requests however many nodes
 * there are.
 *
 * <p>Storage may take its time, or hang, and the service thread must not wait for it. So there are
 * two locks. The lock of this object is for what this process knows, and no request goes to storage
 * under it. The run's is for the run, which the watcher and the last stage use in turn; a thread
 * may take the first one under it, and never the other way round. The outcome of a part is told
 * under neither.
 */
public final class SeriesCommits implements AutoCloseable {
  private static final long LAST_LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The time in which another node begins whose ranks have anything to do with those here. */
  private static final long STRANGE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** The time for which a session that ends waits for parts of which none comes. */
  private static final long PATIENCE_NANOS = EndPatience.nanos();

  /**
   * The time between two searches for the remains of earlier runs, which lie still for a minute
   * before they go.
   */
  private static final long COLLECTION_NANOS = TimeUnit.SECONDS.toNanos(90);

  private final Engine engine;
  private final SeriesRun run;
  private final PosixStore store;
  private final SeriesStorage storage;
  private final Set<Long> before;
  private final List<PendingPart> pending = new ArrayList<>();

  /** The rounds of the parts that this process has put, by the ids of their commits. */
  private final Map<Long, Long> rounds = new HashMap<>();

  private final Set<Long> awaited = new HashSet<>();

  private final CommitPolling.Wait wait = new CommitPolling.Wait();

  private final SeriesView view;
  private final Thread watcher;
  private volatile long collection = System.nanoTime();
  private PartsCheck check = PartsCheck.NONE;
  private FencedException fence;
  private boolean ending;
  private long limit; // for all that a session waits for that ends; 0 for none
  private volatile boolean closed;

  /**
   * @param run the run that the node takes part in
   * @param engine where the series is; closed with this
   * @param store the node's own store; stays the caller's
   * @param storage what others get of its commits, and where
   */
  public SeriesCommits(
      final SeriesRun run,
      final Engine engine,
      final PosixStore store,
      final SeriesStorage storage) {
    this.storage = storage;
    this.run = run;
    this.engine = engine;
    this.store = store;
    this.before = run.numbersBefore();
    this.view = new SeriesView(storage, run);
    this.watcher = Thread.ofPlatform().name("series").start(this::watch);
  }

  /** The key of this node's part of a checkpoint. */
  public PartKey part(
      final Commit commit, final long round, final long growth, final RequiredRanks all) {
    return run.part(commit.number(), round, growth, PendingPart.ranksOf(commit)).covering(all);
  }

  /**
   * Returns the rule by which the nodes of the run found files to be one checkpoint, where no
   * directory has it.
   */
  public RememberedGrouping grouping() {
    return new SeriesGrouping(engine, run.begin());
  }

  /** Some files only a user says are one node's: what all parts say of them must agree. */
  public void checkPrivateFiles() {
    check = new LoggedOnce(engine)::check;
  }

  /**
   * Puts this node's part of a checkpoint, which the node's own store has. A put that fails is
   * tried again, with the same bytes: the part may be there, and no other may come under its key.
   * Last stage.
   *
   * @param counts told, on another thread, when the checkpoint is committed
   * @param refused told, on another thread, when it will not be
   * @throws FencedException when another run began; the part is not there then
   * @throws IOException when it cannot be read or is too long
   */
  public void put(
      final Commit commit,
      final PartKey key,
      final Runnable counts,
      final Consumer<IOException> refused)
      throws IOException {
    final byte[] part = storage.part(commit, key).encode();
    final PendingPart one;
    synchronized (this) {
      if (fence != null) {
        throw fence;
      }
      one = new PendingPart(commit, part, key, wait, counts, refused);
    }
    try {
      one.put(run);
    } catch (final IOException e) {
      one.warn(e); // the watcher goes on with it, and alone may give it up
    }
    synchronized (this) {
      rounds.put(commit.id(), key.round());
      pending.add(one);
      if (ending || awaited.contains(commit.number())) {
        one.looks.hurry(System.nanoTime());
      }
      notifyAll();
    }
  }

  private void watch() {
    try (SeriesTidying tidying = new SeriesTidying(storage.open(), storage.series())) {
      while (!closed) {
        final PendingPart next = next();
        if (next != null) {
          look(next);
        } else if (run.isFirst() && System.nanoTime() - collection > 0) {
          collection = System.nanoTime() + COLLECTION_NANOS;
          collect(tidying);
        }
      }
    } catch (final IOException e) {
      Warnings.warn("the series is not closed: " + e.getMessage());
    }
  }

  /**
   * Deletes the remains of earlier runs, on a single node of the run. Remains that stay are found
   * by the next run.
   */
  private static void collect(final SeriesTidying tidying) {
    try {
      tidying.deleteFound();
    } catch (final IOException e) {
      Warnings.warn("what earlier runs left in the series stays: " + e.getMessage());
    }
  }

  /** The one whose time has come; null when there was none for a while. */
  private synchronized PendingPart next() {
    final long now = System.nanoTime();
    final PendingPart first =
        pending.stream().min(Comparator.comparing(one -> one.looks.due() - now)).orElse(null);
    if (first != null && first.looks.due() - now <= 0) {
      return first;
    }
    try {
      if (!closed) {
        TimeUnit.NANOSECONDS.timedWait(
            this, first == null ? LAST_LOOK_NANOS : first.looks.due() - now);
      }
    } catch (final InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return null;
  }

  private void look(final PendingPart one) {
    final boolean atParts = one.looks.isAtParts();
    try {
      final Set<PartKey> parts = one.parts(run, atParts); // nodes put earlier parts first
      for (final PendingPart earlier : before(one)) {
        try {
          countIfCommitted(earlier, earlier.parts(run, atParts || earlier.looks.isAtParts()));
        } catch (final FencedException e) {
          throw e;
        } catch (final IOException e) {
          earlier.warn(e);
        }
      }
      if (!countIfCommitted(one, parts)) {
        later(one, null);
      }
    } catch (final FencedException e) {
      refuseAll(e);
    } catch (final IOException e) {
      later(one, e);
    }
  }

  private void refuse(final PendingPart one, final IOException failure) {
    synchronized (this) {
      pending.remove(one);
    }
    one.refused.accept(failure);
  }

  /**
   * Returns the parts that were put before one. Later parts are to count later, as the newest
   * checkpoint is the one that counted last.
   */
  private synchronized List<PendingPart> before(final PendingPart one) {
    return List.copyOf(pending.subList(0, pending.indexOf(one)));
  }

  /** Counts a part if its checkpoint is committed, and returns whether it is over with the part. */
  private boolean countIfCommitted(final PendingPart one, final Set<PartKey> parts)
      throws IOException {
    one.put(run);
    try {
      synchronized (run) {
        if (!one.look(run, parts, check, missing -> lacks(one, missing))) {
          return false;
        }
      }
    } catch (final RefusedException e) {
      refuse(one, e);
      return true;
    }
    found(one);
    one.counts.run();
    SharedPublisher.removeSuperseded(store, one.commit, older -> false);
    return true;
  }

  private synchronized void lacks(final PendingPart one, final RankSet missing) {
    if (!missing.equals(one.missing)) {
      one.missing = missing;
      one.changed = System.nanoTime();
    }
  }

  /** Looks at a part again later, unless the session ends and there is no sign of the others. */
  private void later(final PendingPart one, final IOException failure) {
    final long now = System.nanoTime();
    if (failure != null) {
      one.warn(failure);
    }
    if (isOver(one, now, failure != null)) {
      refuse(one, failure != null ? failure : lack(one, storage.noOtherNode()));
    } else if (failure == null && now - one.begun > STRANGE_NANOS && !one.missing.isEmpty()) {
      final Optional<String> why = storage.noOtherNode();
      if (why.isPresent()) {
        one.warn(lack(one, why));
      }
    }
  }

  private static IOException lack(final PendingPart one, final Optional<String> why) {
    return new IOException(
        "the parts of ranks %s are missing; %s"
            .formatted(one.missing, why.orElse("their nodes have not committed them")));
  }

  private synchronized boolean isOver(final PendingPart one, final long now, final boolean failed) {
    one.looks.inVain(now, failed);
    return ending && (now - one.changed > PATIENCE_NANOS || limit != 0 && now - limit > 0);
  }

  private synchronized void found(final PendingPart one) {
    pending.remove(one);
    awaited.remove(one.commit.number());
    one.looks.found(System.nanoTime());
  }

  /**
   * Limits for how long a session that ends waits for other nodes, in all, from now on.
   *
   * @param nanos at most; {@link Long#MAX_VALUE} for no limit
   */
  public synchronized void patience(final long nanos) {
    limit = nanos == Long.MAX_VALUE ? 0 : System.nanoTime() + nanos;
    notifyAll();
  }

  /** {@return for how long it waits for nodes that do nothing yet; less as a limit comes near} */
  public synchronized long patience() {
    return limit == 0 ? PATIENCE_NANOS : Math.clamp(limit - System.nanoTime(), 0, PATIENCE_NANOS);
  }

  /** The ranks whose parts a checkpoint waits for, as far as this node has looked. */
  public synchronized RankSet missing(final long number) {
    return pending.stream()
        .filter(one -> one.commit.number() == number)
        .map(one -> one.missing)
        .reduce(RankSet.NONE, RankSet::with);
  }

  private void refuseAll(final FencedException e) {
    final List<PendingPart> all;
    synchronized (this) {
      fence = e;
      all = List.copyOf(pending);
      pending.clear();
    }
    all.forEach(one -> one.refused.accept(e));
  }

  /**
   * Lets a checkpoint count no more. To be called before anything of it is deleted.
   *
   * @throws IOException when that fails; nothing may be deleted then
   */
  public void remove(final Commit commit) throws IOException {
    final Long known;
    synchronized (this) {
      known = rounds.remove(commit.id());
    }
    final long round = known != null ? known : view.roundOf(commit);
    synchronized (run) {
      run.remove(commit.number(), round);
    }
  }

  /**
   * The checkpoints of earlier runs that count, the first one first, as far as they can be read.
   */
  public List<Commit> earlier() throws IOException {
    try (SeriesReader reader = view.open()) {
      return reader
          .commits(
              damaged ->
                  Warnings.warn(
                      "a checkpoint of an earlier run stays, as it cannot be read: "
                          + damaged.getMessage()))
          .stream()
          .filter(commit -> commit.id() < run.begin())
          .toList();
    }
  }

  /** Lets one of them count no more. The run's first node deletes what it has before long. */
  public void removeEarlier(final Commit commit) throws IOException {
    synchronized (run) {
      run.remove((sequence, any) -> sequence == commit.id());
    }
    collection = System.nanoTime();
  }

  /** The images that one of them has, on all nodes. */
  public List<CommittedImage> imagesOf(final Commit commit) throws IOException {
    try (SeriesReader reader = view.open()) {
      final Optional<Commit> found = reader.find(commit.number());
      return found.filter(one -> one.id() == commit.id()).isPresent()
          ? reader.images(commit)
          : List.of();
    }
  }

  /** Returns how many checkpoints of earlier runs counted when this session began. */
  public int countBefore() {
    return before.size();
  }

  public String run() {
    return run.name();
  }

  SeriesView view() {
    return view;
  }

  /** The numbers of earlier runs' checkpoints that counted when this session began. */
  public LongStream numbersBefore() {
    return before.stream().mapToLong(Long::longValue);
  }

  /**
   * The newest checkpoint that counted when the run began; none on a node that did not begin it:
   * one is to say what it tells.
   */
  public List<Commit> newestBefore() throws IOException {
    return run.isFirst() ? view.newest() : List.of();
  }

  /** A process waits for a checkpoint; one that is committed already does no harm. */
  public synchronized void hurry(final long number) {
    awaited.add(number);
    pending.stream()
        .filter(one -> one.commit.number() == number)
        .forEach(one -> one.looks.hurry(System.nanoTime()));
    notifyAll();
  }

  /** The session ends: a checkpoint whose parts do not come is given up after a while. */
  public synchronized void end() {
    ending = true;
    for (final PendingPart one : pending) {
      one.changed = System.nanoTime();
      one.looks.hurry(one.changed);
    }
    notifyAll();
  }

  /** The last entry of the log that this node has read. To be asked once this is closed. */
  public long last() {
    return run.last();
  }

  @Override
  public void close() throws IOException {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    try {
      watcher.join();
    } catch (final InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    view.close();
    engine.close();
  }
}
