package org.sluice.iop.wave.protocol;

import java.util.Map;

/**
 * The messages and collectives that still come to a rank across the line.
 *
 * @param late for each stream with late messages, the number of the last one
 * @param straddling for each communicator with collectives that a member had entered before its
 *     line, the number of the last one
 * @param early for each stream with early messages, how many these are: a rank does not know, and
 *     has to, to count from the line on
 */
public record Expect(Map<Stream, Long> late, Map<Long, Long> straddling, Map<Stream, Long> early) {
  public Expect {
    late = Map.copyOf(late);
    straddling = Map.copyOf(straddling);
    early = Map.copyOf(early);
  }
}
