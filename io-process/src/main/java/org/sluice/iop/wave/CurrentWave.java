package org.sluice.iop.wave;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.iop.wave.protocol.C3Wave;
import org.sluice.iop.wave.protocol.Closure;
import org.sluice.iop.wave.protocol.Control;
import org.sluice.iop.wave.protocol.Cut;
import org.sluice.iop.wave.protocol.Encoding;
import org.sluice.iop.wave.protocol.Line;
import org.sluice.iop.wave.protocol.PclWave;
import org.sluice.iop.wave.protocol.Plan;
import org.sluice.iop.wave.protocol.Recording;
import org.sluice.iop.wave.protocol.Wave;

/**
 * The wave that is under way: hears what ranks say of it, has {@link Wave} decide what comes next,
 * and gives the orders. What follows from its end is the coordinator's. Service thread only.
 */
final class CurrentWave {
  private final Job job;
  private final Orders orders;
  private final ProtocolChoice choice;
  private final StopSpot standstill;
  private final long number;
  private final Wave wave;
  private final WaveFigures figures;
  private long began; // to stand, by Pcl; 0 no rank
  private Line line; // null before all ranks have taken theirs
  private boolean whole;
  private boolean asksForNext;

  /** One that no rank knows of. */
  CurrentWave(
      final Job job,
      final Orders orders,
      final ProtocolChoice choice,
      final StopSpot standstill,
      final long number) {
    this.job = job;
    this.orders = orders;
    this.choice = choice;
    this.standstill = standstill;
    this.number = number;
    final boolean pcl = choice.next() == Control.PCL;
    final long end = System.nanoTime() + job.patience();
    wave = pcl ? new PclWave(job.ranks(), standstill.margin(), end) : new C3Wave(job.ranks(), end);
    figures = new WaveFigures(number, pcl ? "pcl" : "c3", job.ranks());
  }

  /** Asks the ranks, once the log has it. */
  void begin(final WaveLog log) {
    step(
        FaultPoint.MPI_BEGIN,
        () -> {
          log.begun(figures);
          final boolean pcl = wave instanceof PclWave;
          orders.giveInt(Control.PLEASE, number, pcl ? Control.PCL : Control.C3);
        });
  }

  long number() {
    return number;
  }

  WaveFigures figures() {
    return figures;
  }

  String waiting() {
    return wave.waiting();
  }

  /** Whether all ranks have completed their images, and nothing gave it up. */
  boolean isWhole() {
    return whole && !wave.hasEnded();
  }

  /** Why it was given up; empty where it was not. */
  String reason() {
    return wave.reason();
  }

  /** Whether the next one is to come at once. */
  boolean asksForNext() {
    return asksForNext;
  }

  /** It is decided: nothing gives it up any more. */
  void commit() {
    wave.commit();
  }

  void giveUp(final String why) {
    wave.giveUp(why);
  }

  /** Does a step of the wave, which is given up when that fails. */
  void step(final FaultPoint point, final Fault.Step<IOException> does) {
    try {
      at(point, does);
    } catch (final IOException e) {
      wave.giveUp(e.getMessage());
    }
  }

  static void at(final FaultPoint point, final Fault.Step<IOException> does) throws IOException {
    Fault.at(point, "take the step " + point.label(), does);
  }

  /** Its time may be over. */
  void look(final long now) {
    wave.look(now);
  }

  void hear(final int kind, final int rank, final ByteBuffer bytes) {
    if (kind == Control.REFUSED) {
      wave.giveUp("rank %d: %s".formatted(rank, StandardCharsets.UTF_8.decode(bytes)));
    } else if (wave instanceof final PclWave pcl) {
      hear(pcl, kind, rank, bytes);
    } else if (wave instanceof final C3Wave c3) {
      hear(c3, kind, rank, bytes);
    }
  }

  private void hear(final PclWave pcl, final int kind, final int rank, final ByteBuffer bytes) {
    switch (kind) {
      case Control.COUNTED -> {
        final long spot = pcl.counted(rank, bytes.getLong());
        if (spot != 0) {
          orders.giveLongs(Control.STOP_AT, number, standstill.farther(spot), standstill.hold());
        }
      }
      case Control.PASSED -> {
        standstill.passed();
        asksForNext = true; // at once, and farther
        choice.passed();
        pcl.passed(rank);
      }
      case Control.MARKER -> {
        figures.stopped();
        began = began == 0 ? System.nanoTime() : began;
        step(
            FaultPoint.MPI_LINE,
            () -> {
              pcl.stopped(Encoding.marker(bytes)).ifPresent(this::came);
              if (wave.hasEnded()) {
                triesC3("spots lie on both sides of collectives");
              }
            });
      }
      case Control.STOOD -> {
        standstill.stood();
        pcl.giveUp(pcl.waiting() + ", while others held still");
        triesC3("ranks do not come to one spot in time");
      }
      case Control.DRAINED -> {
        if (pcl.drained(rank)) {
          figures.goOn();
          step(FaultPoint.MPI_STOP, () -> orders.give(Control.TAKE, number));
        }
      }
      case Control.TAKEN -> {
        figures.taken(rank, bytes);
        step(
            FaultPoint.MPI_IMAGE,
            () -> {
              if (pcl.taken(rank)) {
                choice.measured(figures.meanWaited(), figures.meanTaking());
                whole = true;
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
              FaultPoint.MPI_LINE, () -> c3.marker(Encoding.marker(bytes)).ifPresent(this::expect));
      case Control.READY -> {
        if (c3.ready(rank)) {
          step(FaultPoint.MPI_STOP, () -> orders.give(Control.STOP, number));
        }
      }
      case Control.STOPPED ->
          c3.stopped(Encoding.recording(bytes))
              .ifPresent(all -> step(FaultPoint.MPI_CLOSURE, () -> close(all)));
      case Control.TAKEN -> figures.taken(rank, bytes);
      case Control.WRITTEN -> {
        figures.recorded(bytes);
        step(FaultPoint.MPI_IMAGE, () -> whole = c3.written(rank));
      }
      default -> throw new IllegalArgumentException("not in C3");
    }
  }

  /** A wave of Pcl that tells of the job: the next one comes at once, by C3. */
  private void triesC3(final String why) {
    if (choice.isOpen()) {
      choice.stopsBadly(why);
      asksForNext = true;
    }
  }

  private void came(final Line all) {
    standstill.came(System.nanoTime() - began);
    expect(all);
  }

  private void expect(final Line all) {
    line = all;
    step(
        FaultPoint.MPI_EXPECT,
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
}
