package org.sluice.iop.group;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * The checkpoints that may be complete by what one ring told. A file created earlier by another
 * process may be known from that process's ring alone, which was read before. So nothing is decided
 * before all rings were read once more. Service thread only.
 */
final class GroupsToRecheck {
  /** The checkpoints by number, with whether each is not to wait for more files. */
  private Map<Long, Boolean> undecided = new LinkedHashMap<>();

  public void add(final long number) {
    undecided.putIfAbsent(number, false);
  }

  public void hurry(final long number) {
    undecided.put(number, true);
  }

  public void decide(
      final Runnable readRings, final LongConsumer complete, final LongConsumer hurried) {
    if (!undecided.isEmpty()) {
      final Map<Long, Boolean> now = undecided;
      undecided = new LinkedHashMap<>();
      readRings.run();
      now.forEach((number, hurry) -> (hurry ? hurried : complete).accept(number));
    }
  }

  public boolean isEmpty() {
    return undecided.isEmpty();
  }
}
