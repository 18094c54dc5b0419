package org.sluice.iop.measure;

import java.util.ArrayList;
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
  private final SequencedSet<Long> deleted = new LinkedHashSet<>();

  /** Null where another node says it. */
  private List<Long> kept;

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
   * A checkpoint is gone, as its program has deleted files of it.
   *
   * @param number its number
   */
  public synchronized void deleted(final long number) {
    deleted.addLast(number);
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
    if (kept == null) {
      return Optional.empty();
    }
    final List<String> parts = new ArrayList<>();
    final List<Long> gone = but(removed);
    if (!gone.isEmpty()) {
      parts.add("%s removed (--keep %d)".formatted(list(gone), keep));
    }
    final List<Long> without = but(deleted);
    if (!without.isEmpty()) {
      parts.add(
          "%s gone, as files of %s were deleted"
              .formatted(list(without), without.size() == 1 ? "it" : "them"));
    }
    if (parts.isEmpty()) {
      return Optional.empty();
    }
    parts.addFirst(kept.isEmpty() ? "none kept" : list(kept) + " kept");
    return Optional.of(
        "checkpoint%s %s".formatted(kept.size() == 1 ? "" : "s", String.join("; ", parts)));
  }

  /** Without those that are there again. */
  private List<Long> but(final Collection<Long> numbers) {
    return numbers.stream().filter(number -> !kept.contains(number)).toList();
  }

  private static String list(final List<Long> numbers) {
    if (numbers.size() <= MOST_LISTED) {
      return numbers.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }
    return "%d, %d, ... %d (%d in all)"
        .formatted(numbers.get(0), numbers.get(1), numbers.getLast(), numbers.size());
  }
}
