package org.sluice.iop.wave.protocol;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.sluice.core.fault.FaultPoint;

/**
 * The line of a wave: the markers of all ranks, in the order of the ranks. A message is
 *
 * <ul>
 *   <li><b>late</b> when it was sent before the line and received behind it: its data is recorded;
 *   <li><b>early</b> when it was sent behind the line and received before it: it is not sent again.
 * </ul>
 */
public final class Line {
  private final List<Marker> markers;
  private final Map<Long, Long> entered = new HashMap<>();
  private final List<Map<Stream, Long>> late = new ArrayList<>();
  private final List<Map<Stream, Long>> early = new ArrayList<>();
  private final List<Map<Stream, Long>> suppressed = new ArrayList<>();

  /** Looks at each stream once: all to all have as many as the square of the ranks. */
  public Line(final List<Marker> markers) {
    this.markers = markers.stream().sorted(Comparator.comparingInt(Marker::rank)).toList();
    for (final Marker marker : this.markers) {
      late.add(new HashMap<>());
      early.add(new HashMap<>());
      suppressed.add(new HashMap<>());
      marker.collectives().forEach((one, count) -> entered.merge(one, count, Math::max));
    }
    for (final Marker marker : this.markers) {
      marker.sent().forEach(this::noteSent);
      marker.got().forEach(this::noteGot);
    }
  }

  private void noteSent(final Stream stream, final long sent) {
    if (sent > got(stream)) {
      late.get(stream.destination()).put(stream, sent);
    }
  }

  private void noteGot(final Stream stream, final long got) {
    if (got > sent(stream)) {
      early.get(stream.destination()).put(stream, got - sent(stream));
      suppressed.get(stream.source()).put(stream, got);
    }
  }

  /** Returns the markers in the order of the ranks. */
  public List<Marker> markers() {
    return markers;
  }

  /** Returns how many messages of a stream were sent before the sender's line. */
  public long sent(final Stream stream) {
    return markers.get(stream.source()).sent().getOrDefault(stream, 0L);
  }

  /** Returns how many messages of a stream were received before the receiver's line. */
  public long got(final Stream stream) {
    return markers.get(stream.destination()).got().getOrDefault(stream, 0L);
  }

  /**
   * Returns the number up to which a member entered collectives of a communicator before its line.
   * A member that enters one of them behind its line straddles: others have its result.
   */
  public long entered(final long communicator) {
    return entered.getOrDefault(communicator, 0L);
  }

  /** Returns the ranks in the world of a communicator's members. */
  public List<Integer> members(final long communicator) {
    return markers.stream()
        .filter(marker -> marker.collectives().containsKey(communicator))
        .map(Marker::rank)
        .toList();
  }

  /** Returns what still comes to a rank across the line. */
  public Expect expect(final int rank) {
    final Map<Long, Long> straddling = new HashMap<>();
    for (final long communicator : markers.get(rank).collectives().keySet()) {
      straddling.put(communicator, entered(communicator));
    }
    return new Expect(late.get(rank), straddling, early.get(rank));
  }

  /** Tells each rank what still comes to it. */
  public Order tell() {
    return new Order.Step(
        FaultPoint.MPI_EXPECT,
        IntStream.range(0, markers.size())
            .mapToObj(rank -> new Order.Send(Control.EXPECT, rank, Encoding.bytes(expect(rank))))
            .toList());
  }

  /**
   * Returns, for each stream with messages that a rank sends again and its receivers have, the
   * number of the last one.
   */
  public Map<Stream, Long> suppressed(final int rank) {
    return suppressed.get(rank);
  }

  /**
   * Returns whether a collective was entered by some members of its communicator and not by others.
   */
  public boolean isWithinCollective() {
    return markers.stream()
        .flatMap(marker -> marker.collectives().entrySet().stream())
        .anyMatch(count -> count.getValue() < entered(count.getKey()));
  }
}
