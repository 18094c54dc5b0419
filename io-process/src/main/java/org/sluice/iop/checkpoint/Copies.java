package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.sluice.core.engine.EngineException;
import org.sluice.core.engine.EngineException.Reason;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.posix.NativeThread;
import org.sluice.core.posix.PosixException;
import org.sluice.core.series.FencedException;
import org.sluice.core.series.StageReport.State;
import org.sluice.core.store.Commit;
import org.sluice.core.store.Completion;
import org.sluice.iop.measure.Warnings;

/**
 * Checkpoints on their way from the stage to where all nodes find them. The last stage of the drain
 * adds each when this node has committed it. One thread copies them in that order; then they count
 * as those of a {@link SeriesCommits} do. Nothing of the session waits for that but its end.
 *
 * <p>All fields are guarded by this. The thread that copies holds it between pieces only. What
 * becomes of a checkpoint is told without it.
 */
public final class Copies implements AutoCloseable {
  /**
   * The nice value of the thread that copies: ranks that share a core with it keep nine tenths of
   * it.
   */
  private static final int NICE = 10;

  private static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long LAST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(15);

  /** After what time without a piece the storage has failed, to those who wait. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** How often a long copy looks whether another run has begun. */
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(20);

  private static final long CLOSING_MILLIS = 2000;

  private final Bucket bucket;
  private final StageSettings settings;
  private final CopyRate rate;
  private final Thread copier;

  /** What is not copied, in its order; the first one is being copied. */
  private final Deque<Departure> waiting = new ArrayDeque<>();

  /** Those and what waits for other nodes, by the ids of their commits. */
  private final Map<Long, Departure> underWay = new LinkedHashMap<>();

  private FencedException fence;

  /** When the last piece went, but for the time that the next one was not to be sent. */
  private long progress = System.nanoTime();

  private boolean begun;
  private long looked = progress;

  /** The newest that stays on the stage as yet, where nothing that leaves it is newer. */
  private Departure newest;

  /** What was said to stay on the stage after all. */
  private final Set<Long> refused = new HashSet<>();

  /** Until when other nodes may be copying what this one has copied. */
  private long others = progress;

  private boolean ending;

  /** When a grace is over; null without one. */
  private Long deadline;

  private boolean seriesEnds;
  private final Progress report;
  private boolean told;
  private boolean closed;

  /**
   * The copies of a session.
   *
   * @param bucket where they go; closed with this
   * @param settings how
   */
  public Copies(final Bucket bucket, final StageSettings settings) {
    this.bucket = bucket;
    this.settings = settings;
    this.rate = new CopyRate(settings.rate());
    this.report = new Progress(bucket.store());
    this.copier = Thread.ofPlatform().daemon().name("copy").start(this::run);
    bucket.pace(this::before);
  }

  /** What counts for all nodes. */
  SeriesCommits series() {
    return bucket.commits();
  }

  /** Whether those who wait for a checkpoint that leaves the stage wait for all nodes. */
  boolean areGlobal() {
    return settings.global();
  }

  /**
   * Whether a checkpoint leaves the stage at once. Of the others the newest does at the end.
   * Service thread only.
   */
  boolean take(
      final long number,
      final boolean ungrouped,
      final Optional<Completion> completion,
      final CheckpointState state) {
    return ungrouped
        || completion.filter(Completion.END::equals).isPresent()
        || state.place(number) % settings.every() == 0;
  }

  /**
   * Refuses a commit on the stage where it could never count.
   *
   * @throws FencedException when another run has begun
   */
  synchronized void check() throws FencedException {
    if (fence != null) {
      throw fence;
    }
  }

  /** Takes over a checkpoint that the stage has. */
  synchronized void add(final Departure one) {
    if (newest != null && newest.commit().sequence() < one.commit().sequence()) {
      newest = one.commit().ungrouped() ? newest : null;
    }
    if (underWay.putIfAbsent(one.commit().id(), one) == null) {
      waiting.add(one);
      report.say(one.commit(), State.WAITING);
      notifyAll();
    }
  }

  /** Takes note of a checkpoint that stays on the stage, unless it is the newest at the end. */
  synchronized void keep(final Departure one) {
    newest = one;
    report.say(one.commit(), State.LOCAL);
    notifyAll();
  }

  /**
   * Nothing follows but what no group took: lets the newest leave the stage. Before that leaves, as
   * what counts last is the newest to all nodes. Last stage, or once it has nothing to do.
   */
  public void leaveNewest() {
    final Departure one;
    synchronized (this) {
      one = newest;
      newest = null;
    }
    if (one != null) {
      one.begin();
    }
  }

  /** Lets older commits of a number go from the stage that no copy needs. Last stage. */
  void supersede(final Commit newer) {
    try {
      for (final Commit older : bucket.store().commits(damaged -> {})) {
        if (older.number() == newer.number()
            && older.sequence() < newer.sequence()
            && !need(older)) {
          bucket.store().remove(older);
        }
      }
    } catch (final IOException e) {
      Warnings.warn(
          "checkpoint %d is committed, but an older one of it stays on the stage: %s"
              .formatted(newer.number(), e.getMessage()));
    }
  }

  /** Whether a commit has to stay on the stage. */
  synchronized boolean need(final Commit commit) {
    return underWay.containsKey(commit.id());
  }

  /** The numbers of what leaves the stage, and does not count for all nodes yet. */
  synchronized List<Long> numbers() {
    return underWay.values().stream().map(one -> one.commit().number()).toList();
  }

  /** The numbers of what counts before anything else does, for those who wait. */
  Set<Long> committed(final Set<Long> leaving) throws IOException {
    final Set<Long> numbers = new HashSet<>(bucket.numbers());
    for (final Commit commit : bucket.store().commits(damaged -> {})) {
      if (!settings.global() || !leaving.contains(commit.id())) {
        numbers.add(commit.number());
      }
    }
    return numbers;
  }

  /** The numbers of earlier runs' checkpoints that count. */
  LongStream numbersBefore() {
    return bucket.numbersBefore();
  }

  /** The session ends: what makes no progress for a while is given up. */
  public synchronized void end() {
    if (!ending) {
      ending = true;
      progress = System.nanoTime();
      notifyAll();
    }
  }

  /**
   * The session has to be over by some time.
   *
   * @param nanos when, by {@link System#nanoTime}
   */
  public synchronized void limit(final long nanos) {
    deadline = nanos;
    if (seriesEnds) {
      limitPatience();
    }
    notifyAll();
  }

  /** No file has to become plain after that, so other nodes get all of it but a tenth. */
  private void limitPatience() {
    if (deadline != null) {
      bucket.commits().patience(Math.max(0, (deadline - System.nanoTime()) / 10 * 9));
    }
  }

  /**
   * Whether what is left of the session is only for others than this node, as its user says who
   * waits for this node alone.
   *
   * @return false before the session waits for copies
   */
  public synchronized boolean mayBeGivenUp() {
    return ending && !settings.global();
  }

  /**
   * Leaves on the stage what does not count yet.
   *
   * @param why is said of each
   */
  public void giveUp(final IOException why) {
    final List<Departure> all;
    synchronized (this) {
      all = List.copyOf(underWay.values());
    }
    all.forEach(one -> refuse(one, why));
  }

  /**
   * How much is still to be copied.
   *
   * @return bytes, holes included
   */
  public synchronized long left() {
    return waiting.stream().mapToLong(one -> one.commit().bytes()).sum() - report.sent();
  }

  /**
   * Whether there is nothing to do.
   *
   * @return true also when all was given up
   */
  public synchronized boolean areOver() {
    return underWay.isEmpty();
  }

  // ---- the thread that copies ----

  private void run() {
    try {
      NativeThread.current().schedule(true, NICE, 0);
    } catch (final PosixException e) {
      Warnings.warn("copies compete with the application: " + e.getMessage());
    }
    while (!isClosed()) {
      final Departure one = next();
      if (one == null) {
        bucket.idle();
      } else {
        copy(one);
        synchronized (this) {
          waiting.remove(one);
        }
      }
    }
  }

  /** Null where there was none for a while. */
  private synchronized Departure next() {
    if (waiting.isEmpty() && !closed) {
      report.write();
      final long left = deadline != null ? 0 : others - System.nanoTime();
      if (ending && !seriesEnds && left <= 0) {
        seriesEnds = true;
        limitPatience();
        bucket.commits().end();
      }
      pause(ending && !seriesEnds ? left : LAST_PAUSE_NANOS);
    }
    return waiting.isEmpty() ? null : waiting.getFirst();
  }

  private void copy(final Departure one) {
    for (long pause = FIRST_PAUSE_NANOS; ; pause = Math.min(LAST_PAUSE_NANOS, 2 * pause)) {
      try {
        begin();
        bucket
            .commits()
            .put(one.commit(), bucket.part(one), () -> counts(one), e -> refuse(one, e));
        copied(one);
        return;
      } catch (final EngineException e) {
        if (isGivenUp(one, e, pause)) {
          refuse(one, e);
          return;
        }
      } catch (final NoSuchFileException e) { // also while someone tries to remove it
        if (!bucket.has(one.commit())) {
          refuse(one, new IOException("it was removed before it was copied", e));
          return;
        }
      } catch (final IOException e) { // the stage lacks it, or another run began
        if (!isClosed()) {
          refuse(one, e);
        }
        return;
      }
    }
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  /** Whether a failure is for good, as the session ends. */
  private boolean isGivenUp(final Departure one, final EngineException e, final long pause) {
    final boolean lasting;
    synchronized (this) {
      final boolean stalled = System.nanoTime() - progress > PATIENCE_NANOS;
      if (closed || ending && stalled) {
        return true;
      }
      if (!told) {
        told = true;
        Warnings.warn("checkpoint %d waits: %s".formatted(one.commit().number(), e.getMessage()));
      }
      lasting = stalled || e.reason() != Reason.UNREACHABLE;
    }
    if (lasting) {
      one.delayed(e);
    }
    synchronized (this) {
      pause(pause);
      return closed;
    }
  }

  private synchronized void begin() throws FencedException {
    check();
    begun = false;
    report.begin(waiting.getFirst().commit());
    report.write();
  }

  /** Other nodes may take twice the time. */
  private synchronized void copied(final Departure one) {
    progress = System.nanoTime();
    others = Math.max(2 * progress - one.since() - others, 0) + others;
    told = false;
    report.end(one.commit());
  }

  /** Waits until a piece may be sent. */
  private void before(final long bytes) throws IOException {
    if (await(bytes)) {
      bucket.look();
    }
    Fault.at(FaultPoint.COPY_PIECE, "copy a piece to " + settings.uri(), () -> {});
  }

  /** Whether it is time to look for another run. */
  private synchronized boolean await(final long bytes) throws IOException {
    final long now = System.nanoTime();
    progress = begun ? now : progress; // the piece before went
    begun = true;
    report.piece(bytes);
    final long pause = settings.rate() == StageSettings.NO_LIMIT ? 0 : rate.take(bytes, now);
    long waited = 0;
    while (!closed && waited < pause) {
      pause(pause - waited);
      waited = System.nanoTime() - now;
    }
    progress += waited;
    if (closed) {
      throw new IOException("the session is over");
    }
    final boolean looks = now - looked > LOOK_NANOS;
    looked = looks ? now : looked;
    return looks;
  }

  /** With this object's monitor. */
  private void pause(final long nanos) {
    try {
      TimeUnit.NANOSECONDS.timedWait(this, Math.max(1, nanos));
    } catch (final InterruptedException e) {
      Thread.currentThread().interrupt();
      closed = true;
    }
  }

  // ---- what becomes of a checkpoint, on either thread ----

  private void counts(final Departure one) {
    one.counts();
    bucket.counts(one);
    over(one, State.SHARED);
  }

  private void refuse(final Departure one, final IOException why) {
    synchronized (this) {
      if (why instanceof final FencedException e) {
        fence = e;
      }
      if (!refused.add(one.commit().id())) {
        return;
      }
    }
    one.refused(why);
    over(one, State.REFUSED);
  }

  private synchronized void over(final Departure one, final State state) {
    report.say(one.commit(), state);
    underWay.remove(one.commit().id());
    notifyAll();
  }

  @Override
  public void close() throws IOException {
    synchronized (this) {
      report.write();
      closed = true;
      notifyAll();
    }
    try {
      copier.join(CLOSING_MILLIS); // one that waits for the network ends with it
    } catch (final InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    bucket.close();
  }
}
