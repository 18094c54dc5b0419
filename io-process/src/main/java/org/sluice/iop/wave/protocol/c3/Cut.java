package org.sluice.iop.wave.protocol.c3;

import java.util.List;
import java.util.Map;
import org.sluice.iop.wave.protocol.Message;

/**
 * The part of the recordings that a recovery repeats.
 *
 * @param lengths for each rank, how many of its events
 * @param forced for each rank, which message a receive takes again
 * @param found for each rank, which message a probe finds again
 */
public record Cut(
    List<Integer> lengths, List<Map<Integer, Message>> forced, List<Map<Integer, Message>> found) {
  public Cut {
    lengths = List.copyOf(lengths);
    forced = forced.stream().map(Map::copyOf).toList();
    found = found.stream().map(Map::copyOf).toList();
  }
}
