package org.sluice.iop.wave.protocol.pcl;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sluice.core.fault.FaultPoint;
import org.sluice.iop.wave.protocol.Control;
import org.sluice.iop.wave.protocol.Encoding;
import org.sluice.iop.wave.protocol.Line;
import org.sluice.iop.wave.protocol.Marker;
import org.sluice.iop.wave.protocol.Order;
import org.sluice.iop.wave.protocol.Phase;
import org.sluice.iop.wave.protocol.Recorded;
import org.sluice.iop.wave.protocol.Verdict;
import org.sluice.iop.wave.protocol.Wave;

/**
 * A wave of Pcl, in which all ranks stop:
 *
 * <ol>
 *   <li>Each rank says how many spots it has passed. The coordinator names a later one.
 *   <li>Each rank stops at that spot and says what it has sent and received. While it waits, it
 *       receives what comes: another rank may not get to its spot before.
 *   <li>When all have stopped, each rank learns how much was sent to it, and says when all of that
 *       is there.
 *   <li>When all have said so, nothing is under way. Each takes its image and goes on. An earlier
 *       one could send a message into an open receive of a rank that has not its image yet.
 * </ol>
 *
 * <p>A stop of all costs the time for which ranks stand still until all are there and nothing is
 * under way. A job that synchronises at its spots anyway waits for next to nothing.
 */
public final class PclWave implements Wave {
  private final Phase counted;
  private final Phase stopped;
  private final Phase drained;
  private final List<Marker> markers = new ArrayList<>();
  private final StopSpot spot;
  private final WaitTimes times;
  private long most;
  private Optional<Verdict> verdict = Optional.empty();

  /**
   * @param spot where they are to stop, and for how long
   */
  public PclWave(final int ranks, final StopSpot spot) {
    this.counted = new Phase(ranks);
    this.stopped = new Phase(ranks);
    this.drained = new Phase(ranks);
    this.spot = spot;
    this.times = new WaitTimes(ranks);
  }

  @Override
  public List<Order> hear(final int kind, final int rank, final ByteBuffer bytes) {
    return switch (kind) {
      case Pcl.COUNTED -> {
        final long at = counted(rank, bytes.getLong());
        yield at == 0
            ? List.of()
            : List.of(Order.Send.toAll(Pcl.STOP_AT, spot.farther(at), spot.hold()));
      }
      case Pcl.PASSED -> List.of(passed(rank));
      case Control.MARKER -> {
        times.stopped(System.nanoTime());
        yield Order.Step.of(
            FaultPoint.MPI_LINE,
            stopped(Encoding.marker(bytes)).map(this::came).stream().toArray(Order[]::new));
      }
      case Pcl.STOOD -> List.of(stood());
      case Pcl.DRAINED -> {
        final boolean all = drained(rank);
        if (all) {
          allHeard(System.nanoTime());
        }
        yield all ? Order.Step.of(FaultPoint.MPI_STOP, Order.Send.toAll(Pcl.TAKE)) : List.of();
      }
      case Control.TAKEN -> {
        times.taken(bytes.getLong(Long.BYTES));
        yield Order.Step.of(FaultPoint.MPI_IMAGE, new Order.Complete(rank, Recorded.NOTHING));
      }
      default -> throw new IllegalArgumentException("not in Pcl");
    };
  }

  /**
   * A rank says where it is.
   *
   * @param spots how many spots it has passed
   * @return with the last answer, the spot at which all are to stop, or 0
   */
  public long counted(final int rank, final long spots) {
    most = Math.max(most, spots);
    return counted.arrive(rank) ? most + spot.margin() : 0;
  }

  /**
   * A rank was already beyond the spot when it learned of it. All go on, and the next wave has a
   * greater margin.
   *
   * @return that the wave is given up
   */
  public Order.GiveUp passed(final int rank) {
    spot.passed();
    if (spot.isOftenPassed()) {
      verdict = Optional.of(new Verdict(false, "ranks pass spots faster than they hear of them"));
    }
    return new Order.GiveUp(
        "rank " + rank + " had passed the place where all were to stop", true, 0);
  }

  /**
   * A rank stopped at the spot.
   *
   * @return with the last one, the line of all ranks
   */
  public Optional<Line> stopped(final Marker marker) {
    markers.add(marker);
    return stopped.arrive(marker.rank()) ? Optional.of(new Line(markers)) : Optional.empty();
  }

  private Order came(final Line line) {
    return check(line).orElseGet(line::tell);
  }

  /**
   * A rank stands until it hears that all do, which on a busy machine comes long behind the last.
   */
  private void allHeard(final long now) {
    times.goOn(now);
    spot.came(times.sinceFirst(now));
  }

  /**
   * Checks whether ranks can have their images at this line.
   *
   * @return that the wave is given up; empty when they can
   */
  public Optional<Order> check(final Line line) {
    if (!line.isWithinCollective()) {
      return Optional.empty();
    }
    verdict = Optional.of(new Verdict(false, "spots lie on both sides of collectives"));
    return Optional.of(new Order.GiveUp("ranks would stop on both sides of a collective"));
  }

  private Order stood() {
    final String why = waiting() + ", while others held still";
    verdict = Optional.of(new Verdict(false, "ranks do not come to one spot in time"));
    return new Order.GiveUp(why, spot.canHoldLonger(), spot.stood());
  }

  /**
   * All that was sent to a rank is there.
   *
   * @return whether it was the last one: all are to take their images and go on
   */
  public boolean drained(final int rank) {
    return drained.arrive(rank);
  }

  @Override
  public Optional<Verdict> verdict() {
    return verdict.or(times::verdict);
  }

  @Override
  public String waiting() {
    if (!counted.isOver()) {
      return "no call of MPI by rank " + counted;
    } else if (!stopped.isOver()) {
      return "no sluice_potential_checkpoint() reached by rank " + stopped;
    } else if (!drained.isOver()) {
      return "messages under way to rank " + drained;
    }
    return "";
  }
}
