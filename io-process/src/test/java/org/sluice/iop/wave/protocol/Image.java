package org.sluice.iop.wave.protocol;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** What a rank writes at its line; under Pcl nothing is under way then. */
record Image(
    Program program,
    Map<Stream, Long> sent,
    Map<Stream, Long> got,
    Map<Long, Long> collectives,
    int requests,
    List<Handle> open,
    List<Handle> drained) {
  /** Returns the images with which the ranks of a script begin. */
  static List<Image> first(final Script script) {
    return IntStream.range(0, script.ranks)
        .mapToObj(
            rank ->
                new Image(
                    new Program(script, rank),
                    Map.of(),
                    Map.of(),
                    script.counts(rank),
                    0,
                    List.of(),
                    List.of()))
        .toList();
  }
}
