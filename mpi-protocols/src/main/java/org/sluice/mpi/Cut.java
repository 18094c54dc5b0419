package org.sluice.mpi;

import java.util.List;
import java.util.Map;

/**
 * How much of the recordings a recovery repeats.
 *
 * @param lengths for each rank, how many of its events
 * @param forced for each rank, which message a receive takes again, or which one a probe found
 */
public record Cut(List<Integer> lengths, List<Map<Integer, Message>> forced) {
  /** Keeps copies. */
  public Cut {
    lengths = List.copyOf(lengths);
    forced = forced.stream().map(Map::copyOf).toList();
  }
}
