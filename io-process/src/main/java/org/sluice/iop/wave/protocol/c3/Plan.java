package org.sluice.iop.wave.protocol.c3;

import java.util.List;
import java.util.Map;
import org.sluice.iop.wave.protocol.Line;
import org.sluice.iop.wave.protocol.Message;
import org.sluice.iop.wave.protocol.Stream;

/**
 * The actions of one rank in a recovery until its events are used up. Behind them it is free.
 *
 * <ul>
 *   <li>Its calls are those of the events, in their order, and are answered as they were. The rank
 *       asks MPI nothing that MPI might answer otherwise.
 *   <li>A forced receive takes its message. A late one comes from the record and never from the
 *       network. Another one is asked for by its source and tag.
 *   <li>A message that its receiver has is compared and not sent.
 *   <li>A straddling collective is answered from the record. No member calls it.
 * </ul>
 *
 * @param forced which message a receive takes again
 * @param found which message a probe finds again
 * @param suppressed for each stream from this rank, the last message that its receiver has
 */
public record Plan(
    List<Event> events,
    Map<Integer, Message> forced,
    Map<Integer, Message> found,
    Map<Stream, Long> suppressed) {
  public Plan {
    events = List.copyOf(events);
    forced = Map.copyOf(forced);
    found = Map.copyOf(found);
    suppressed = Map.copyOf(suppressed);
  }

  public static Plan of(final int rank, final Line line, final Recording recording, final Cut cut) {
    return new Plan(
        recording.events().subList(0, cut.lengths().get(rank)),
        cut.forced().get(rank),
        cut.found().get(rank),
        line.suppressed(rank));
  }
}
