package org.sluice.iop.wave;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.iop.wave.protocol.Control;
import org.sluice.iop.wave.protocol.Order;
import org.sluice.iop.wave.protocol.Phase;
import org.sluice.iop.wave.protocol.Wave;

/**
 * The wave that is under way: has its protocol hear what ranks say, and carries out what that
 * orders. The consequences of its end are the coordinator's. Service thread only.
 */
final class CurrentWave {
  private final Orders orders;
  private final ProtocolChoice choice;
  private final long number;
  private final boolean asked;
  private final long end; // the deadline
  private final Wave wave;
  private final WaveFigures figures;
  private final Phase images;
  private Order.GiveUp over; // null while nothing gave it up
  private boolean changesProtocol; // for the next wave

  /**
   * Creates the wave, which the ranks know nothing of yet.
   *
   * @param asked whether someone asked for its checkpoint
   */
  CurrentWave(
      final Job job,
      final Orders orders,
      final ProtocolChoice choice,
      final long number,
      final boolean asked) {
    this.orders = orders;
    this.choice = choice;
    this.number = number;
    this.asked = asked;
    this.end = System.nanoTime() + job.patience();
    this.wave = choice.begin();
    this.figures = new WaveFigures(number, choice.protocol().name(), job.ranks());
    this.images = new Phase(job.ranks());
  }

  /** Asks the ranks, once the log has it. */
  void begin(final WaveLog log) {
    step(
        FaultPoint.MPI_BEGIN,
        () -> {
          log.begun(figures);
          orders.giveInt(Control.PLEASE, number, choice.protocol().number());
        });
  }

  long number() {
    return number;
  }

  WaveFigures figures() {
    return figures;
  }

  String waiting() {
    final String phase = wave.waiting();
    return phase.isEmpty() ? "no images from rank " + images : phase;
  }

  /** Returns how many bytes of the ranks' messages the wave keeps. */
  long kept() {
    return wave.kept();
  }

  /** Returns whether all ranks have completed their images, and nothing gave the wave up. */
  boolean isWhole() {
    return over == null && images.isOver();
  }

  boolean isGivenUp() {
    return over != null;
  }

  String reason() {
    return over.why();
  }

  /** Returns whether someone asked for its checkpoint. */
  boolean isAsked() {
    return asked;
  }

  /** Returns whether its checkpoint is tried again, once this wave is given up. */
  boolean isDue() {
    return changesProtocol || over.again();
  }

  /** Returns for how long the next wave waits, in nanoseconds, once this one is given up. */
  long rest(final long every) {
    if (changesProtocol) {
      return 0;
    }
    return over.again() ? over.rest() : Math.max(every, over.rest());
  }

  void giveUp(final String why) {
    giveUp(new Order.GiveUp(why));
  }

  private void giveUp(final Order.GiveUp order) {
    if (over == null) {
      over = order;
    }
  }

  /** Does a step of the wave, which is given up when that fails. */
  void step(final FaultPoint point, final Fault.Step<IOException> does) {
    try {
      at(point, does);
    } catch (final IOException e) {
      giveUp(e.getMessage());
    }
  }

  static void at(final FaultPoint point, final Fault.Step<IOException> does) throws IOException {
    Fault.at(point, "take the step " + point.label(), does);
  }

  void look(final long now) {
    if (now - end >= 0) {
      giveUp(waiting());
    }
  }

  void hear(final int kind, final int rank, final ByteBuffer bytes) {
    if (kind == Control.REFUSED) {
      giveUp("rank %d: %s".formatted(rank, StandardCharsets.UTF_8.decode(bytes)));
      return;
    }
    if (kind == Control.TAKEN) {
      figures.taken(rank, bytes.slice().order(bytes.order()));
    }
    carryOut(wave.hear(kind, rank, bytes));
    if (over != null || images.isOver()) {
      wave.verdict().ifPresent(verdict -> changesProtocol |= choice.hear(verdict));
    }
  }

  private void carryOut(final List<? extends Order> all) {
    for (final Order order : all) {
      switch (order) {
        case final Order.Send send -> orders.give(send.kind(), send.rank(), number, send.bytes());
        case final Order.Step step -> step(step.point(), () -> carryOut(step.orders()));
        case final Order.GiveUp giveUp -> giveUp(giveUp);
        case final Order.Complete one -> {
          images.arrive(one.rank());
          figures.recorded(one.recorded());
        }
      }
    }
  }
}
