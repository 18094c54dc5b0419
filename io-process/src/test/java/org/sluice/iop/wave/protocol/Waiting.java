package org.sluice.iop.wave.protocol;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** What a call says of the requests that are complete, as MPI may answer it. */
final class Waiting {
  private Waiting() {}

  /** Which of them a call tells of; null while it blocks. */
  static List<Integer> answer(
      final List<Integer> asked,
      final Map<Integer, Handle> handles,
      final Layer.Wait how,
      final Random random) {
    final List<Integer> complete =
        asked.stream().filter(request -> handles.get(request).complete).toList();
    return switch (how) {
      case TEST -> random.nextBoolean() ? complete : one(complete, random);
      case SOME -> complete.isEmpty() ? null : complete;
      case ANY -> complete.isEmpty() ? null : one(complete, random);
      case ALL -> complete.size() < asked.size() ? null : complete;
    };
  }

  private static List<Integer> one(final List<Integer> complete, final Random random) {
    return complete.isEmpty() ? complete : List.of(complete.get(random.nextInt(complete.size())));
  }

  /** Hands requests over to the program, which has them no longer. */
  static Map<Integer, Object> handOver(
      final List<Integer> requests, final Map<Integer, Handle> handles) {
    final Map<Integer, Object> results = new TreeMap<>();
    requests.forEach(request -> results.put(request, handles.remove(request).result));
    return results;
  }
}
