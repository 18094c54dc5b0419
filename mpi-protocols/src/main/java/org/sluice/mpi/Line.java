package org.sluice.mpi;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The line of a wave: the markers of all ranks, in the order of the ranks. A message is
 *
 * <ul>
 *   <li><b>late</b> when it was sent before the line and received behind it: its data is recorded;
 *   <li><b>early</b> when it was sent behind the line and received before it: it is not sent again.
 * </ul>
 *
 * @param markers the markers
 */
public record Line(List<Marker> markers) {
  /** Sorts them. */
  public Line {
    markers = markers.stream().sorted(Comparator.comparingInt(Marker::rank)).toList();
  }

  /**
   * How many messages of a stream were sent before the sender's line.
   *
   * @param stream the stream
   * @return the number of the last one
   */
  public long sent(final Stream stream) {
    return markers.get(stream.source()).sent().getOrDefault(stream, 0L);
  }

  /**
   * How many messages of a stream were received before the receiver's line.
   *
   * @param stream the stream
   * @return the number of the last one
   */
  public long got(final Stream stream) {
    return markers.get(stream.destination()).got().getOrDefault(stream, 0L);
  }

  /**
   * Up to which number collectives of a communicator were entered by a member before its line. A
   * member that enters one of them behind its line straddles: others have its result.
   *
   * @param communicator the communicator
   * @return the greatest count of all members
   */
  public long entered(final long communicator) {
    return markers.stream()
        .mapToLong(marker -> marker.collectives().getOrDefault(communicator, 0L))
        .max()
        .orElse(0);
  }

  /**
   * The members of a communicator.
   *
   * @param communicator the communicator
   * @return their ranks in the world
   */
  public List<Integer> members(final long communicator) {
    return markers.stream()
        .filter(marker -> marker.collectives().containsKey(communicator))
        .map(Marker::rank)
        .toList();
  }

  /**
   * What still comes to a rank across the line.
   *
   * @param rank the rank
   * @return all of it
   */
  public Expect expect(final int rank) {
    final Map<Stream, Long> late = new HashMap<>();
    for (final Marker marker : markers) {
      marker
          .sent()
          .forEach(
              (stream, sent) -> {
                if (stream.destination() == rank && sent > got(stream)) {
                  late.put(stream, sent);
                }
              });
    }
    final Map<Long, Long> straddling = new HashMap<>();
    for (final long communicator : markers.get(rank).collectives().keySet()) {
      straddling.put(communicator, entered(communicator));
    }
    final Map<Stream, Long> early = new HashMap<>();
    markers
        .get(rank)
        .got()
        .forEach(
            (stream, got) -> {
              if (got > sent(stream)) {
                early.put(stream, got - sent(stream));
              }
            });
    return new Expect(late, straddling, early);
  }

  /**
   * Whether a collective was entered by some members of its communicator and not by others.
   *
   * @return whether the line goes through one
   */
  public boolean isWithinCollective() {
    return markers.stream()
        .flatMap(marker -> marker.collectives().entrySet().stream())
        .anyMatch(count -> count.getValue() < entered(count.getKey()));
  }
}
