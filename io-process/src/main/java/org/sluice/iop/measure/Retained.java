package org.sluice.iop.measure;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.stream.Collectors;

/** The checkpoints that {@code --keep} has removed and kept. Thread-safe. */
public final class Retained {
  private static final int MOST_LISTED = 8;

  private final SequencedSet<Long> removed = new LinkedHashSet<>();
  private final SequencedSet<Long> deleted = new LinkedHashSet<>();

  /** The numbers of the kept checkpoints; null where another node reports them. */
  private List<Long> kept;

  private int keep;

  Retained() {}

  public synchronized void removed(final long number) {
    removed.addLast(number);
  }

  /** Adds a checkpoint that is gone since its program deleted files of it. */
  public synchronized void deleted(final long number) {
    deleted.addLast(number);
  }

  /** Sets the kept checkpoints. */
  public synchronized void kept(final Collection<Long> numbers, final int most) {
    kept = List.copyOf(numbers);
    keep = most;
  }

  /** Returns a report for users in one line; empty where nothing was removed. */
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

  /** Returns the numbers without those of checkpoints that exist again. */
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
