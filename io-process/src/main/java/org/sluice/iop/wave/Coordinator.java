package org.sluice.iop.wave;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.iop.checkpoint.CheckpointState;
import org.sluice.iop.checkpoint.CheckpointStorage;
import org.sluice.iop.checkpoint.Waiters;
import org.sluice.iop.measure.Warnings;
import org.sluice.iop.trigger.ExplicitCheckpoints;
import org.sluice.iop.wave.protocol.Control;

/**
 * Leads the waves of a job, one after the other: begins them, and does what follows from their
 * ends. Service thread only.
 *
 * <p>A wave is decided once. Its checkpoint is held on every node: complete or not, nothing of it
 * is committed before. When all ranks have said that their images are complete, the coordinator
 * decides: the journal of this node has that first. Then this node commits, and the order to do so
 * goes to the ranks of others. From there on nothing gives the wave up. So it is either given up,
 * in which case no node has been told to commit and each drops the images; or it is decided, and
 * the images of all ranks are complete. A rank that completes late changes neither.
 *
 * <p>A kill before the journal has the decision: the next coordinator finds the wave begun in the
 * log, decides that it is dropped, and orders so. Rank 0 takes orders one by one and passes each on
 * before it greets the next coordinator. So no rank has heard of a commit that the journal lacks. A
 * kill behind it: this node commits once resumed. Whatever the log says of the last wave by then,
 * the next coordinator orders its end again, which changes nothing where it was heard.
 */
final class Coordinator {
  /** The time between two looks for a file that asks for a wave, in nanoseconds. */
  private static final long LOOK = 1_000_000_000;

  private final CheckpointStorage storage;
  private final CheckpointState state;
  private final Executor service;
  private final Waiters waiters;
  private final ExplicitCheckpoints checkpoints;
  private final Orders orders;
  private final Job job;
  private final WaveLog log;
  private final ProtocolChoice choice;
  private final BitSet done = new BitSet();
  private long last; // the number of the last wave
  private long next;
  private long looked;
  private boolean asked; // for a wave that has not begun
  private WaveFigures resting; // a wave that was asked for and is tried again; null for none
  private boolean never; // the program does what is carried over no line
  private CurrentWave current; // not decided yet; null for none
  private WaveFigures committing; // the decided wave that is not durable; null for none

  Coordinator(
      final CheckpointStorage storage,
      final CheckpointState state,
      final Executor service,
      final Waiters waiters,
      final ExplicitCheckpoints checkpoints,
      final Orders orders,
      final Job job) {
    this.storage = storage;
    this.state = state;
    this.service = service;
    this.waiters = waiters;
    this.checkpoints = checkpoints;
    this.orders = orders;
    this.job = job;
    this.log = new WaveLog(storage.store().directory());
    this.choice = new ProtocolChoice(job, job.restored() < 0 ? null : log.chosen());
    final long newest = newest();
    this.last = Math.max(log.last(), Math.max(newest, job.restored()));
    this.next = System.nanoTime() + job.every();
    this.asked = job.again() && log.isDue();
    log.open().ifPresent(open -> takeOver(open, open.number() == newest));
    if (job.again()) {
      orderAgain();
    } else {
      log.began(job);
    }
    checkpoints.undecided().forEach(held -> checkpoints.decide(held, false));
  }

  /** A wave that a former coordinator began, of this session or of one before. */
  private void takeOver(final WaveLog.Open open, final boolean isStored) {
    final long which = open.number();
    final WaveFigures figures = new WaveFigures(which, open.protocol(), job.ranks());
    if (state.lastDecided() == which) {
      await(figures, false);
    } else if (isStored || job.restored() == which) {
      log.committedBefore(figures);
    } else {
      checkpoints.decide(which, false);
      final String why = "its coordinator ended before it was whole";
      log.givenUp(figures, why, false);
      log.sayGivenUp(figures, why);
    }
  }

  /**
   * Repeats the orders of the former coordinator, with which all went that rank 0 had not fetched.
   */
  private void orderAgain() {
    final long decided = Math.max(0, state.lastDecided());
    if (decided > 0) {
      orders.give(Control.COMMIT, decided);
    }
    if (log.last() > decided) {
      orders.give(Control.GIVE_UP, log.last());
    }
  }

  private long newest() {
    try {
      return storage.lastNumber();
    } catch (final IOException e) {
      Warnings.warn("cannot see which checkpoints there are: " + e.getMessage());
      return 0;
    }
  }

  void beat(final long now) {
    if (current != null) {
      current.look(now);
      proceed();
    }
    if (now - looked >= LOOK) {
      looked = now;
      asked |= log.isAsked();
      sayWhatIsUnderWay();
    }
    if (!done.isEmpty()) {
      refuse("rank %d has come to MPI_Finalize".formatted(done.nextSetBit(0)));
    } else if (never) {
      refuse("what the program does is not carried");
    } else if (isFree() && (asked || isTimed() && now >= next)) {
      begin();
    }
  }

  private void refuse(final String why) {
    if (asked || resting != null) {
      asked = false;
      tryNoMore();
      log.tooLate(why);
    }
  }

  private void tryNoMore() {
    if (resting != null) {
      resting = null;
      log.nothingUnderWay();
    }
  }

  /** Returns whether a wave begins once its time has come, though nobody asks. */
  private boolean isTimed() {
    return job.every() > 0 || resting != null;
  }

  private void sayWhatIsUnderWay() {
    if (committing != null) {
      log.underWay(committing, "its commit");
    } else if (current != null) {
      log.underWay(current.figures(), current.waiting());
    } else if (resting != null) {
      log.underWay(resting, "the time at which it is tried again");
    }
  }

  /** Returns how many bytes of the ranks' messages are kept. */
  long kept() {
    return current == null ? 0 : current.kept();
  }

  private boolean isFree() {
    return current == null && committing == null;
  }

  long patience(final long now, final long limit) {
    final long due = isFree() && !never && isTimed() ? next : now + LOOK;
    return Math.clamp((due - now) / 1_000_000 + 1, 1, limit);
  }

  private void begin() {
    current = new CurrentWave(job, orders, choice, ++last, asked || resting != null);
    asked = false;
    resting = null;
    current.begin(log);
    proceed();
  }

  /** A rank says something, perhaps of a wave that is over. */
  void hear(final int kind, final int rank, final long of, final ByteBuffer bytes) {
    Objects.checkIndex(rank, job.ranks());
    if (kind == Control.DONE) {
      done(rank);
    } else if (kind == Control.NEVER) {
      takeNoMore("rank %d: %s".formatted(rank, StandardCharsets.UTF_8.decode(bytes)));
    } else if (current != null && of == current.number()) {
      current.hear(kind, rank, bytes);
    }
    proceed();
  }

  private void takeNoMore(final String why) {
    if (!never) {
      log.tooLate(why + "; the job goes on without, as --refused continue says");
    }
    never = true;
    if (current != null) {
      current.giveUp(why);
    }
  }

  private void done(final int rank) {
    done.set(rank);
    if (current != null && !current.figures().hasState(rank)) {
      current.giveUp("rank %d has come to MPI_Finalize".formatted(rank));
    }
    endAll();
  }

  private void endAll() {
    if (done.cardinality() == job.ranks() && isFree()) {
      log.ended(); // before any rank may end
      orders.give(Control.END, 0);
    }
  }

  // ---- the end of a wave ----

  private void proceed() {
    if (current != null && current.isWhole()) {
      current.step(FaultPoint.MPI_DECIDE, this::decide);
    }
    if (current != null && current.isGivenUp()) {
      giveUp();
    }
  }

  private void decide() {
    final WaveFigures figures = current.figures();
    current = null;
    checkpoints.decide(figures.number(), true);
    orders.give(Control.COMMIT, figures.number());
    await(figures, true);
  }

  private void await(final WaveFigures figures, final boolean isNew) {
    committing = figures;
    storage.publisher().hurry(figures.number());
    waiters.add(
        new Request.Await(figures.number(), Long.MAX_VALUE),
        isNew,
        reply -> service.execute(() -> end(figures, isNew, reply)));
  }

  private void end(final WaveFigures figures, final boolean isNew, final Reply reply) {
    final long which = figures.number();
    if (reply instanceof final Reply.Failed failed) {
      if (!waiters.isOver(which)) {
        await(figures, isNew); // the commit is tried again
        return;
      }
      log.failed(figures, failed.message());
    } else {
      try {
        CurrentWave.at(FaultPoint.MPI_LOG, () -> logCommitted(figures, isNew));
      } catch (final IOException e) {
        Warnings.warn(
            "checkpoint %d is durable, and its log does not say so: %s".formatted(which, e));
      }
    }
    committing = null;
    over(job.every());
  }

  private void logCommitted(final WaveFigures figures, final boolean isNew) {
    if (isNew) {
      log.committed(figures, choice);
    } else {
      log.committedBefore(figures);
    }
  }

  private void giveUp() {
    final CurrentWave wave = current;
    current = null;
    resting = wave.isDue() && wave.isAsked() ? wave.figures() : null;
    try {
      CurrentWave.at(FaultPoint.MPI_DROP, () -> drop(wave));
    } catch (final IOException e) {
      drop(wave);
    }
    over(wave.rest(job.every()));
  }

  private void drop(final CurrentWave wave) {
    checkpoints.decide(wave.number(), false);
    log.givenUp(wave.figures(), wave.reason(), asked || wave.isDue());
    if (done.isEmpty()) {
      log.sayGivenUp(wave.figures(), wave.reason());
    }
    orders.give(Control.GIVE_UP, wave.number());
  }

  private void over(final long rest) {
    log.nothingUnderWay();
    next = System.nanoTime() + rest;
    endAll();
  }

  /** No rank is left. */
  void end() {
    if (current != null) {
      current.giveUp("its job ended before it was whole");
      proceed();
    }
    tryNoMore();
  }
}
