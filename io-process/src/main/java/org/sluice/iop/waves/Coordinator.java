package org.sluice.iop.waves;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.iop.checkpoint.Context;
import org.sluice.iop.checkpoint.ExplicitCheckpoints;
import org.sluice.iop.measure.Warnings;
import org.sluice.mpi.C3Wave;
import org.sluice.mpi.Closure;
import org.sluice.mpi.Control;
import org.sluice.mpi.Cut;
import org.sluice.mpi.Encoding;
import org.sluice.mpi.Line;
import org.sluice.mpi.PclWave;
import org.sluice.mpi.Plan;
import org.sluice.mpi.Recording;
import org.sluice.mpi.Wave;

/**
 * Leads the waves of a job, one after the other: hears what its ranks say, has {@link Wave} decide,
 * and gives orders. Service thread only.
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
 * kill behind it: this node commits once resumed, and the next coordinator gives the order again,
 * which changes nothing where it was heard.
 */
final class Coordinator {
  /** How often a file is looked for that asks for a wave, in nanoseconds. */
  private static final long LOOK = 1_000_000_000;

  private final Context context;
  private final ExplicitCheckpoints checkpoints;
  private final Orders orders;
  private final Job job;
  private final WaveLog log;
  private final Choice choice;
  private final Standstill standstill;
  private final BitSet done = new BitSet();
  private long number;
  private long next;
  private long looked;
  private boolean asked;
  private boolean committing; // it is decided, and not durable
  private Wave wave; // not decided yet; null for none
  private Line line;
  private WaveFigures figures;

  Coordinator(
      final Context context,
      final ExplicitCheckpoints checkpoints,
      final Orders orders,
      final Job job) {
    this.context = context;
    this.checkpoints = checkpoints;
    this.orders = orders;
    this.job = job;
    this.standstill = new Standstill(job.patience());
    this.log = new WaveLog(Path.of(context.segment().header().store()));
    this.choice = new Choice(job.protocol(), job.restored() < 0 ? null : log.chosen());
    final long newest = newest();
    this.number = Math.max(log.last(), Math.max(newest, job.restored()));
    this.next = System.nanoTime() + job.every();
    log.open().ifPresent(open -> takeOver(open, open.number() == newest));
    log.began(job);
    checkpoints.undecided().forEach(held -> checkpoints.decide(held, false));
  }

  /** A wave that a former coordinator began, of this session or of one before. */
  private void takeOver(final WaveLog.Open open, final boolean isStored) {
    final long which = open.number();
    figures = new WaveFigures(which, open.protocol(), job.ranks());
    if (context.state().lastDecided() == which) {
      orders.give(Control.COMMIT, which);
      await(which, false);
    } else if (isStored || job.restored() == which) {
      log.committedBefore(figures);
    } else {
      checkpoints.decide(which, false);
      orders.give(Control.GIVE_UP, which);
      log.givenUp(figures, "its coordinator ended before it was whole");
    }
  }

  private long newest() {
    try {
      return context.lastNumber();
    } catch (final IOException e) {
      Warnings.warn("cannot see which checkpoints there are: " + e.getMessage());
      return 0;
    }
  }

  void beat(final long now) {
    if (wave != null) {
      wave.look(now);
      letGo(now);
      endIfGivenUp();
    }
    if (now - looked >= LOOK) {
      looked = now;
      asked |= log.isAsked();
      if (!isFree()) {
        log.underWay(figures, committing ? "its commit" : wave.waiting());
      }
    }
    if (asked && !done.isEmpty()) {
      asked = false;
      log.tooLate(done.nextSetBit(0));
    }
    if (isFree() && done.isEmpty() && (asked || job.every() > 0 && now >= next)) {
      begin(now);
    }
  }

  private boolean isFree() {
    return wave == null && !committing;
  }

  private static void at(final FaultPoint point, final Fault.Step<IOException> does)
      throws IOException {
    Fault.at(point, "take the step " + point.label(), does);
  }

  /** Does a step of a wave, which is given up when that fails. */
  private void step(final FaultPoint point, final Fault.Step<IOException> does) {
    try {
      at(point, does);
    } catch (final IOException e) {
      wave.giveUp(e.getMessage());
    }
  }

  long patience(final long now, final long limit) {
    final long due = standstill.due(isFree() && job.every() > 0 ? next : now + LOOK);
    return Math.clamp((due - now) / 1_000_000 + 1, 1, limit);
  }

  /** Ranks that wait too long at their spots go on. */
  private void letGo(final long now) {
    if (line == null && standstill.isTooLong(now)) {
      wave.giveUp(wave.waiting() + ", while others held still");
      triesC3("ranks do not come to one spot in time");
    }
  }

  private void begin(final long now) {
    asked = false;
    number++;
    line = null;
    standstill.end();
    final boolean pcl = choice.next() == Control.PCL;
    final long end = now + job.patience();
    wave = pcl ? new PclWave(job.ranks(), standstill.margin(), end) : new C3Wave(job.ranks(), end);
    figures = new WaveFigures(number, pcl ? "pcl" : "c3", job.ranks());
    step(
        FaultPoint.WAVE_BEGIN,
        () -> {
          log.begun(figures);
          orders.giveInt(Control.PLEASE, number, pcl ? Control.PCL : Control.C3);
        });
    endIfGivenUp();
  }

  // ---- what ranks say ----

  void hear(final int kind, final int rank, final long of, final ByteBuffer bytes) {
    Objects.checkIndex(rank, job.ranks());
    if (kind == Control.DONE) {
      done(rank);
    } else if (wave == null || of != number) {
      return; // of a wave that is over
    } else if (kind == Control.REFUSED) {
      wave.giveUp("rank %d: %s".formatted(rank, StandardCharsets.UTF_8.decode(bytes)));
    } else if (wave instanceof final PclWave pcl) {
      hear(pcl, kind, rank, bytes);
    } else if (wave instanceof final C3Wave c3) {
      hear(c3, kind, rank, bytes);
    }
    endIfGivenUp();
  }

  private void hear(final PclWave pcl, final int kind, final int rank, final ByteBuffer bytes) {
    switch (kind) {
      case Control.COUNTED -> {
        final long spot = pcl.counted(rank, bytes.getLong());
        if (spot != 0) {
          orders.giveLong(Control.STOP_AT, number, standstill.farther(spot));
        }
      }
      case Control.PASSED -> {
        standstill.passed();
        asked = true; // at once, and farther
        choice.passed();
        pcl.passed(rank);
      }
      case Control.MARKER -> {
        standstill.begin(System.nanoTime());
        figures.stopped();
        step(
            FaultPoint.WAVE_LINE,
            () -> {
              pcl.stopped(Encoding.marker(bytes)).ifPresent(this::expect);
              if (wave.hasEnded()) {
                triesC3("spots lie on both sides of collectives");
              }
            });
      }
      case Control.DRAINED -> {
        if (pcl.drained(rank)) {
          figures.goOn();
          step(FaultPoint.WAVE_STOP, () -> orders.give(Control.TAKE, number));
        }
      }
      case Control.TAKEN -> {
        figures.taken(rank, bytes);
        step(
            FaultPoint.WAVE_IMAGE,
            () -> {
              if (pcl.taken(rank)) {
                choice.measured(figures.meanWaited(), figures.meanTaking());
                decide();
              }
            });
      }
      default -> throw new IllegalArgumentException("not in Pcl");
    }
  }

  private void hear(final C3Wave c3, final int kind, final int rank, final ByteBuffer bytes) {
    switch (kind) {
      case Control.MARKER ->
          step(
              FaultPoint.WAVE_LINE,
              () -> c3.marker(Encoding.marker(bytes)).ifPresent(this::expect));
      case Control.READY -> {
        if (c3.ready(rank)) {
          step(FaultPoint.WAVE_STOP, () -> orders.give(Control.STOP, number));
        }
      }
      case Control.STOPPED ->
          c3.stopped(Encoding.recording(bytes))
              .ifPresent(all -> step(FaultPoint.WAVE_CLOSURE, () -> close(all)));
      case Control.TAKEN -> figures.taken(rank, bytes);
      case Control.WRITTEN -> {
        figures.recorded(bytes);
        step(
            FaultPoint.WAVE_IMAGE,
            () -> {
              if (c3.written(rank)) {
                decide();
              }
            });
      }
      default -> throw new IllegalArgumentException("not in C3");
    }
  }

  /** A wave of Pcl that tells of the job: the next one comes at once, by C3. */
  private void triesC3(final String why) {
    if (choice.isOpen()) {
      choice.stopsBadly(why);
      asked = true;
    }
  }

  private void expect(final Line all) {
    line = all;
    standstill.end();
    step(
        FaultPoint.WAVE_EXPECT,
        () -> {
          for (int rank = 0; rank < job.ranks(); rank++) {
            orders.give(Control.EXPECT, rank, number, Encoding.bytes(all.expect(rank)));
          }
        });
  }

  private void close(final List<Recording> recordings) {
    final Closure closure = new Closure(line, recordings);
    final Cut cut = closure.cut();
    final String lack = closure.check(cut);
    if (!lack.isEmpty()) {
      wave.giveUp("what was recorded cannot be repeated: " + lack);
      return;
    }
    for (int rank = 0; rank < job.ranks(); rank++) {
      final Plan plan = Plan.of(rank, line, recordings.get(rank), cut);
      orders.give(Control.PLAN, rank, number, Encoding.bytes(plan));
    }
  }

  private void done(final int rank) {
    done.set(rank);
    if (wave != null && !figures.hasState(rank)) {
      wave.giveUp("rank %d has come to MPI_Finalize".formatted(rank));
    }
    endAll();
  }

  private void endAll() {
    if (done.cardinality() == job.ranks() && isFree()) {
      orders.give(Control.END, 0);
    }
  }

  // ---- its end ----

  private void decide() {
    step(
        FaultPoint.WAVE_DECIDE,
        () -> {
          wave.commit();
          wave = null;
          checkpoints.decide(number, true);
          orders.give(Control.COMMIT, number);
          await(number, true);
        });
  }

  private void await(final long which, final boolean isNew) {
    committing = true;
    context.hurry(which);
    context
        .waiters()
        .add(
            new Request.Await(which, Long.MAX_VALUE),
            isNew,
            reply -> context.service().execute(() -> end(which, isNew, reply)));
  }

  private void end(final long which, final boolean isNew, final Reply reply) {
    if (reply instanceof final Reply.Failed failed) {
      if (!context.waiters().isOver(which)) {
        await(which, isNew); // it is tried again
        return;
      }
      log.failed(figures, failed.message());
    } else {
      try {
        at(FaultPoint.WAVE_LOG, () -> logCommitted(isNew));
      } catch (final IOException e) {
        Warnings.warn("wave %d is durable, and its log does not say so: %s".formatted(which, e));
      }
    }
    committing = false;
    over();
  }

  private void logCommitted(final boolean isNew) {
    if (isNew) {
      log.committed(figures, choice);
    } else {
      log.committedBefore(figures);
    }
  }

  private void endIfGivenUp() {
    if (wave != null && wave.hasEnded()) {
      final String why = wave.reason();
      wave = null;
      try {
        at(FaultPoint.WAVE_DROP, () -> drop(why));
      } catch (final IOException e) {
        drop(why);
      }
      over();
    }
  }

  private void drop(final String why) {
    checkpoints.decide(number, false);
    log.givenUp(figures, why);
    orders.give(Control.GIVE_UP, number);
  }

  private void over() {
    log.nothingUnderWay();
    standstill.end();
    next = System.nanoTime() + job.every();
    endAll();
  }
}
