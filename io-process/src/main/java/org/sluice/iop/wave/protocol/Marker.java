package org.sluice.iop.wave.protocol;

import java.util.List;
import java.util.Map;

/**
 * The message of a rank that takes its line: how far each of its streams was. The counts of both
 * ends tell whether a message crosses the line, so nothing has to travel with it.
 *
 * @param sent for each stream from this rank, how many messages were sent
 * @param got for each stream to this rank, how many were received
 * @param collectives for each communicator that this rank belongs to, how many collectives it
 *     entered
 * @param open the receives that were open, in the order in which they were posted
 */
public record Marker(
    int rank,
    Map<Stream, Long> sent,
    Map<Stream, Long> got,
    Map<Long, Long> collectives,
    List<OpenReceive> open) {
  public Marker {
    sent = Map.copyOf(sent);
    got = Map.copyOf(got);
    collectives = Map.copyOf(collectives);
    open = List.copyOf(open);
  }
}
