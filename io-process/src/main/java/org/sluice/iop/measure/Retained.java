package org.sluice.iop.measure;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.stream.Collectors;

/** Which checkpoints {@code --keep} has removed, and which stay. Thread-safe. */
public final class Retained {
  private static final int MOST_LISTED = 8;

  private final SequencedSet<Long> removed = new LinkedHashSet<>();
  private List<Long> kept = List.of();
  private int keep;

  Retained() {}

  /**
   * A checkpoint is gone.
   *
   * @param number its number
   */
  public synchronized void removed(final long number) {
    removed.addLast(number);
  }

  /**
   * What stays.
   *
   * @param numbers the checkpoints that count, the oldest first
   * @param most what {@code --keep} says
   */
  public synchronized void kept(final Collection<Long> numbers, final int most) {
    kept = List.copyOf(numbers);
    keep = most;
  }

  /**
   * What became of them, for people.
   *
   * @return one line; empty where nothing was removed
   */
  public synchronized Optional<String> text() {
    final List<Long> gone = removed.stream().filter(number -> !kept.contains(number)).toList();
    return gone.isEmpty() || kept.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "checkpoint%s %s kept; %s removed (--keep %d)"
                .formatted(kept.size() == 1 ? "" : "s", list(kept), list(gone), keep));
  }

  private static String list(final List<Long> numbers) {
    if (numbers.size() <= MOST_LISTED) {
      return numbers.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }
    return "%d, %d, ... %d (%d in all)"
        .formatted(numbers.get(0), numbers.get(1), numbers.getLast(), numbers.size());
  }
}
