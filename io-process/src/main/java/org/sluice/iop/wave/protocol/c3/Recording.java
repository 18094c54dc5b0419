package org.sluice.iop.wave.protocol.c3;

import java.util.List;
import java.util.Map;
import org.sluice.iop.wave.protocol.Message;

/**
 * The record of a rank from its line until it was told to stop.
 *
 * @param events what it did, in program order
 * @param taken which message each receive took, or each probe found, as far as it is known; the
 *     receives may have been posted before the line
 * @param drained late messages that the layer took, in their order; the program may have asked for
 *     them later
 */
public record Recording(
    int rank, List<Event> events, Map<Integer, Message> taken, List<Message> drained) {
  public Recording {
    events = List.copyOf(events);
    taken = Map.copyOf(taken);
    drained = List.copyOf(drained);
  }
}
