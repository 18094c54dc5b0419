package org.sluice.iop.waves;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
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
  /** How far beyond the farthest rank Pcl stops at first, in spots. */
  private static final long MARGIN = 1;

  private static final long MOST_MARGIN = 1 << 20;

  /**
   * For how long Pcl holds the first ranks at their spots at first, in nanoseconds. One that has
   * not heard of the spot may be beyond it, in a collective that waits for those that stopped.
   */
  private static final long HOLD = 500_000_000;

  /** How long an order is under way, in nanoseconds: for so many spots it is not heard. */
  private static final double HEARD = 30_000_000;

  /** How often a file is looked for that asks for a wave, in nanoseconds. */
  private static final long LOOK = 1_000_000_000;

  private static final String STEP = "take the step ";

  private final Context context;
  private final ExplicitCheckpoints checkpoints;
  private final Orders orders;
  private final Job job;
  private final WaveLog log;
  private final BitSet done = new BitSet();
  private final BitSet written = new BitSet();
  private long number;
  private long countedSpots = -1; // at the first wave
  private long countedAt;
  private long margin = MARGIN;
  private long hold = HOLD;
  private long held; // when the first one stopped, 0 none
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
    this.log = new WaveLog(Path.of(context.segment().header().store()));
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

  /** What was committed in the store, by whatever run. */
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
    if (isFree() && done.isEmpty() && (asked || job.every() > 0 && now >= next)) {
      begin(now);
    }
  }

  private boolean isFree() {
    return wave == null && !committing;
  }

  /** Does a step of a wave, at which a fault may strike. */
  private void step(final FaultPoint point, final Runnable does) {
    try {
      Fault.at(point, STEP + point.label(), does::run);
    } catch (final IOException e) {
      wave.giveUp(e.getMessage());
    }
  }

  long patience(final long now, final long limit) {
    final long due = held != 0 ? held + hold : isFree() && job.every() > 0 ? next : now + LOOK;
    return Math.clamp((due - now) / 1_000_000 + 1, 1, limit);
  }

  /** Ranks that wait too long at their spots go on, and stop farther on the next time. */
  private void letGo(final long now) {
    if (held != 0 && line == null && now - held >= hold) {
      wave.giveUp(wave.waiting() + ", while others held still");
      hold = Math.min(hold * 2, job.patience());
      margin++;
    }
  }

  /** Where ranks pass many spots in no time, they hear of the one only when beyond it. */
  private long spotsUnheard(final long spots) {
    if (countedSpots < 0) {
      countedSpots = spots;
      countedAt = System.nanoTime();
    }
    final double rate = (spots - countedSpots) / (double) (System.nanoTime() - countedAt + 1);
    return Math.clamp((long) (rate * HEARD), 0, MOST_MARGIN);
  }

  private void begin(final long now) {
    asked = false;
    number++;
    written.clear();
    line = null;
    held = 0;
    final boolean pcl = job.protocol() != Control.C3;
    final long end = now + job.patience();
    wave = pcl ? new PclWave(job.ranks(), margin, end) : new C3Wave(job.ranks(), end);
    figures = new WaveFigures(number, pcl ? "pcl" : "c3", job.ranks());
    step(
        FaultPoint.WAVE_BEGIN,
        () -> {
          log.begun(figures);
          orders.give(Control.PLEASE, Orders.ALL, number, int32(pcl ? Control.PCL : Control.C3));
        });
    endIfGivenUp();
  }

  private static byte[] int32(final int value) {
    return ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(value).array();
  }

  private static byte[] int64(final long value) {
    return ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array();
  }

  // ---- what ranks say ----

  void hear(final int kind, final int rank, final long of, final ByteBuffer bytes) {
    if (kind == Control.DONE) {
      done(rank);
    } else if (wave == null || of != number || rank < 0 || rank >= job.ranks()) {
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
          final long farther = spot + spotsUnheard(spot);
          orders.give(Control.STOP_AT, Orders.ALL, number, int64(farther));
        }
      }
      case Control.PASSED -> {
        margin = Math.min(margin * 2, MOST_MARGIN);
        asked = true; // at once, and farther
        pcl.passed(rank);
      }
      case Control.MARKER -> {
        held = held == 0 ? System.nanoTime() : held;
        step(
            FaultPoint.WAVE_LINE,
            () -> pcl.stopped(Encoding.marker(bytes)).ifPresent(this::expect));
      }
      case Control.DRAINED -> {
        if (pcl.drained(rank)) {
          step(FaultPoint.WAVE_STOP, () -> orders.give(Control.TAKE, number));
        }
      }
      case Control.TAKEN -> {
        figures.taken(rank, bytes);
        step(
            FaultPoint.WAVE_IMAGE,
            () -> {
              if (pcl.taken(rank)) {
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
              written.set(rank);
              if (written.cardinality() == job.ranks()) {
                decide();
              }
            });
      }
      default -> throw new IllegalArgumentException("not in C3");
    }
  }

  private void expect(final Line all) {
    line = all;
    held = 0;
    step(FaultPoint.WAVE_EXPECT, () -> tellExpected(all));
  }

  private void tellExpected(final Line all) {
    for (int rank = 0; rank < job.ranks(); rank++) {
      orders.give(Control.EXPECT, rank, number, Encoding.bytes(all.expect(rank)));
    }
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
    if (wave != null && !hasLine(rank)) {
      wave.giveUp("rank %d has come to MPI_Finalize".formatted(rank));
    }
    endIfGivenUp();
    endAll();
  }

  private boolean hasLine(final int rank) {
    return figures.hasState(rank) || written.get(rank);
  }

  private void endAll() {
    if (done.cardinality() == job.ranks() && isFree()) {
      orders.give(Control.END, 0);
    }
  }

  // ---- its end ----

  /** All images are written: nothing gives the wave up from here on. */
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

  /** Durable is another matter. */
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
        Fault.at(FaultPoint.WAVE_LOG, STEP + "wave-log", () -> logCommitted(isNew));
      } catch (final IOException e) {
        Warnings.warn("wave %d is durable, and its log does not say so: %s".formatted(which, e));
      }
      orders.give(Control.COMMITTED, which);
    }
    committing = false;
    over();
  }

  private void logCommitted(final boolean isNew) {
    if (isNew) {
      log.committed(figures);
    } else {
      log.committedBefore(figures);
    }
  }

  private void endIfGivenUp() {
    if (wave != null && wave.hasEnded()) {
      final String why = wave.reason();
      wave = null;
      try {
        Fault.at(FaultPoint.WAVE_DROP, STEP + "wave-drop", () -> drop(why));
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
    held = 0;
    next = System.nanoTime() + job.every();
    endAll();
  }
}
