package org.sluice.iop.wave.protocol.c3;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.sluice.core.fault.FaultPoint;
import org.sluice.iop.wave.protocol.Control;
import org.sluice.iop.wave.protocol.Encoding;
import org.sluice.iop.wave.protocol.Expect;
import org.sluice.iop.wave.protocol.Line;
import org.sluice.iop.wave.protocol.Marker;
import org.sluice.iop.wave.protocol.Order;
import org.sluice.iop.wave.protocol.Phase;
import org.sluice.iop.wave.protocol.Recorded;
import org.sluice.iop.wave.protocol.Wave;

/**
 * A wave of C3, in which no rank waits for another one:
 *
 * <ol>
 *   <li>The coordinator asks all ranks for a checkpoint. Each takes its line at its next spot,
 *       records from there on, and sends its {@link Marker}.
 *   <li>When all markers are in, each rank learns what to {@link Expect}. The rank says when all of
 *       that has come.
 *   <li>When all have said so, all are told to stop. Each sends its {@link Recording}.
 *   <li>From these comes the {@link Cut}. With it each rank writes its images.
 *   <li>When all have written them, the checkpoint is committed.
 * </ol>
 *
 * <p>A rank must not stop recording by itself. Messages that it sent then could reach a rank that
 * still waits for a late message. The recording of such a rank could not be repeated up to there.
 */
public final class C3Wave implements Wave {
  private final Phase lines;
  private final Phase ready;
  private final Phase stopped;
  private final List<Marker> markers = new ArrayList<>();
  private final List<Recording> recordings = new ArrayList<>();
  private long kept;
  private Line line; // null before all ranks have taken theirs

  public C3Wave(final int ranks) {
    lines = new Phase(ranks);
    ready = new Phase(ranks);
    stopped = new Phase(ranks);
  }

  @Override
  public List<Order> hear(final int kind, final int rank, final ByteBuffer bytes) {
    return switch (kind) {
      case Control.MARKER ->
          Order.Step.of(
              FaultPoint.MPI_LINE,
              marker(Encoding.marker(bytes)).map(Line::tell).stream().toArray(Order[]::new));
      case C3.READY ->
          ready(rank) ? Order.Step.of(FaultPoint.MPI_STOP, Order.Send.toAll(C3.STOP)) : List.of();
      case C3.STOPPED -> {
        kept += bytes.remaining();
        yield stopped(RecordCodec.recording(bytes)).map(this::plan).orElse(List.of());
      }
      case Control.TAKEN -> List.of(); // its record is still to come
      case C3.WRITTEN ->
          Order.Step.of(FaultPoint.MPI_IMAGE, new Order.Complete(rank, recorded(bytes)));
      default -> throw new IllegalArgumentException("not in C3");
    };
  }

  /**
   * A rank took its line.
   *
   * @return with the last marker, the line: each rank is to be told what to expect
   */
  public Optional<Line> marker(final Marker marker) {
    markers.add(marker);
    if (!lines.arrive(marker.rank())) {
      return Optional.empty();
    }
    line = new Line(markers);
    return Optional.of(line);
  }

  /**
   * All that a rank was told to expect has come.
   *
   * @return whether it was the last one: all are to be told to stop
   */
  public boolean ready(final int rank) {
    return ready.arrive(rank);
  }

  /**
   * A rank stopped.
   *
   * @return with the last one, all of them in the order of the ranks: the cut is to be computed
   */
  public Optional<List<Recording>> stopped(final Recording recording) {
    recordings.add(recording);
    return stopped.arrive(recording.rank())
        ? Optional.of(recordings.stream().sorted(Comparator.comparingInt(Recording::rank)).toList())
        : Optional.empty();
  }

  private List<Order> plan(final List<Recording> all) {
    final Closure closure = new Closure(line, all);
    final Cut cut = closure.cut();
    final String lack = closure.check(cut);
    return Order.Step.of(
        FaultPoint.MPI_CLOSURE,
        lack.isEmpty()
            ? IntStream.range(0, all.size())
                .mapToObj(rank -> plan(rank, Plan.of(rank, line, all.get(rank), cut)))
                .toArray(Order[]::new)
            : new Order[] {new Order.GiveUp("what was recorded cannot be repeated: " + lack)});
  }

  private static Order plan(final int rank, final Plan plan) {
    return new Order.Send(C3.PLAN, rank, RecordCodec.bytes(plan));
  }

  private static Recorded recorded(final ByteBuffer in) {
    final long bytes = in.getLong() + in.getLong();
    return new Recorded(bytes, in.getLong(), in.getLong(), in.getLong(), in.getLong());
  }

  @Override
  public long kept() {
    return kept;
  }

  @Override
  public String waiting() {
    if (!lines.isOver()) {
      return "no sluice_potential_checkpoint() reached by rank " + lines;
    } else if (!ready.isOver()) {
      return "late messages or collectives have not come to rank " + ready;
    } else if (!stopped.isOver()) {
      return "no record from rank " + stopped;
    }
    return "";
  }
}
