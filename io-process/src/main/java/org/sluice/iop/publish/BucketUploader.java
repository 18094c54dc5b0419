package org.sluice.iop.publish;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.libc.PosixException;
import org.sluice.core.process.NativeThread;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.objects.EngineException;
import org.sluice.core.store.objects.EngineException.Reason;
import org.sluice.core.store.series.FencedException;
import org.sluice.core.store.stage.StageReport.State;
import org.sluice.iop.measure.Retained;
import org.sluice.iop.measure.Warnings;

/**
 * Checkpoints on their way from the stage to where all nodes find them. The last stage of the drain
 * adds each when this node has committed it. A single thread copies them in that order; then they
 * count as those of a {@link SeriesCommits} do. Nothing of the session waits for that but its end.
 *
 * <p>All fields are guarded by this. The thread that copies holds it between pieces only. The
 * outcome of a checkpoint is told without the lock.
 */
public final class BucketUploader implements Uploads, AutoCloseable {
  /**
   * The nice value of the thread that copies: ranks that share a core with it keep nine tenths of
   * it.
   */
  private static final int NICE = 10;

  private static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long LAST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(15);
  private static final long CLOSING_MILLIS = 2000;

  private final Bucket bucket;
  private final StageSettings settings;
  private final CopyRate rate;
  private final Thread copier;
  private final UploadQueue departures = new UploadQueue();
  private final CopyTimes times = new CopyTimes();
  private FencedException fence;
  private boolean ending;
  private boolean seriesEnds;
  private final UploadProgress report;
  private boolean told;
  private boolean refused;
  private boolean closed;

  /**
   * @param bucket where they go; closed with this
   */
  public BucketUploader(final Bucket bucket, final StageSettings settings) {
    this.bucket = bucket;
    this.settings = settings;
    this.rate = new CopyRate(settings.rate());
    this.report = new UploadProgress(bucket.store());
    this.copier = Thread.ofPlatform().daemon().name("copy").start(this::run);
    bucket.pace(this::before);
  }

  /** Returns the commits that count for all nodes; closed with this. */
  public SeriesCommits series() {
    return bucket.commits();
  }

  @Override
  public boolean areGlobal() {
    return settings.global();
  }

  @Override
  public boolean include(final long place) {
    return place % settings.every() == 0;
  }

  /** Refuses a commit on the stage where it could never count. */
  synchronized void check() throws FencedException {
    if (fence != null) {
      throw fence;
    }
  }

  /** Returns why no commit counts any more; empty while commits do. */
  synchronized Optional<FencedException> fence() {
    return Optional.ofNullable(fence);
  }

  /** Copies a checkpoint that the stage has, which a successor of this process will know. */
  @Override
  public void begin(final PendingUpload one) {
    one.listener().begins(one);
    resume(one);
  }

  @Override
  public synchronized void resume(final PendingUpload one) {
    if (departures.add(one)) {
      report.say(one.commit(), State.WAITING);
      notifyAll();
    }
  }

  @Override
  public synchronized void keep(final PendingUpload one) {
    departures.keep(one);
    report.say(one.commit(), State.LOCAL);
    notifyAll();
  }

  @Override
  public void beginNewest() {
    final PendingUpload one;
    synchronized (this) {
      one = departures.takeNewest();
    }
    if (one != null) {
      begin(one);
    }
  }

  /** Returns whether a commit has to stay on the stage. */
  synchronized boolean need(final Commit commit) {
    return departures.has(commit.id());
  }

  @Override
  public synchronized List<Long> numbers() {
    return departures.all().stream().map(one -> one.commit().number()).toList();
  }

  /** The numbers of what counts before anything else does, for those who wait. */
  Set<Long> committed(final Set<Long> leaving) throws IOException {
    return bucket.committed(settings.global() ? leaving : Set.of());
  }

  @Override
  public synchronized void end() {
    if (!ending) {
      ending = true;
      times.ends();
      notifyAll();
    }
  }

  /** The session has to be over by some time of {@link System#nanoTime}. */
  public synchronized void limit(final long nanos) {
    times.limit(nanos);
    if (seriesEnds) {
      bucket.commits().patience(times.patience());
    }
    notifyAll();
  }

  @Override
  public boolean giveUp(final IOException why) {
    final Collection<PendingUpload> all;
    synchronized (this) {
      if (!ending || settings.global()) {
        return false;
      }
      all = departures.all();
    }
    all.forEach(one -> refuse(one, why));
    return true;
  }

  @Override
  public synchronized long bytes() {
    return departures.bytes() - report.sent();
  }

  @Override
  public synchronized boolean areOver() {
    return departures.areOver();
  }

  @Override
  public synchronized boolean areRefused() {
    return refused;
  }

  // ---- the thread that copies ----

  private void run() {
    try {
      NativeThread.current().schedule(true, NICE, 0);
    } catch (final PosixException e) {
      Warnings.warn("copies compete with the application: " + e.getMessage());
    }
    while (!isClosed()) {
      final PendingUpload one = next();
      if (one == null) {
        bucket.idle();
      } else {
        copy(one);
        synchronized (this) {
          departures.copied(one);
        }
      }
    }
  }

  /** Returns the next upload; null where there was none for a while. */
  private synchronized PendingUpload next() {
    if (departures.first() == null && !closed) {
      report.write();
      final long left = times.ofOthers();
      if (ending && !seriesEnds && left <= 0) {
        seriesEnds = true;
        bucket.commits().patience(times.patience());
        bucket.commits().end();
      }
      pause(ending && !seriesEnds ? left : LAST_PAUSE_NANOS);
    }
    return departures.first();
  }

  private void copy(final PendingUpload one) {
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

  /**
   * Returns whether a failure is for good, as the session ends. Otherwise the thread waits for the
   * next try, and tells of a delay that may be long.
   */
  private boolean isGivenUp(final PendingUpload one, final EngineException e, final long pause) {
    final boolean lasting;
    synchronized (this) {
      final boolean stalled = times.areStalled();
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
      one.listener().delayed(one, e);
    }
    synchronized (this) {
      pause(pause);
      return closed;
    }
  }

  private synchronized void begin() throws FencedException {
    check();
    times.begins();
    report.begin(departures.first().commit());
    report.write();
  }

  private synchronized void copied(final PendingUpload one) {
    times.copied(one.since());
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

  /** Waits until a piece may be sent, and returns whether it is time to look for another run. */
  private synchronized boolean await(final long bytes) throws IOException {
    final long now = System.nanoTime();
    times.piece(now);
    report.piece(bytes);
    final long pause = settings.rate() == StageSettings.NO_LIMIT ? 0 : rate.take(bytes, now);
    long waited = 0;
    while (!closed && waited < pause) {
      pause(pause - waited);
      waited = System.nanoTime() - now;
    }
    times.waited(waited);
    if (closed) {
      throw new IOException("the session is over");
    }
    return times.looks(now);
  }

  /** Pauses, with this object's monitor. */
  private void pause(final long nanos) {
    try {
      TimeUnit.NANOSECONDS.timedWait(this, Math.max(1, nanos));
    } catch (final InterruptedException e) {
      Thread.currentThread().interrupt();
      closed = true;
    }
  }

  @Override
  public void report(final Retained to) {
    bucket.report(to);
  }

  // ---- what becomes of a checkpoint, on either thread ----

  private void counts(final PendingUpload one) {
    synchronized (this) {
      departures.decide(one); // an upload that was given up may count all the same
    }
    one.listener().counts(one);
    bucket.counts(one);
    over(one, State.SHARED);
  }

  private void refuse(final PendingUpload one, final IOException why) {
    synchronized (this) {
      if (why instanceof final FencedException e) {
        fence = e;
      }
      if (!departures.decide(one)) {
        return;
      }
      refused = true;
    }
    one.listener().refused(one, why);
    over(one, State.REFUSED);
  }

  private synchronized void over(final PendingUpload one, final State state) {
    report.say(one.commit(), state);
    departures.over(one);
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
      copier.join(CLOSING_MILLIS); // a thread that waits for the network ends with the process
    } catch (final InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!areRefused()) {
      bucket.end();
    }
    bucket.close();
  }
}
