package org.sluice.core.series;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a series' log adds up to from the last begin on. Not thread-safe; what it gives away is
 * never changed.
 */
public final class SeriesState {
  private long last;
  private long begin;
  private LogEntry.Begin owner;
  private final SortedMap<Long, LogEntry.Commit> live = new TreeMap<>();
  private final List<LogEntry.Commit> commits = new ArrayList<>();

  SeriesState() {}

  /** A run begins, with the commits that count then. */
  void begin(
      final long sequence,
      final LogEntry.Begin entry,
      final SortedMap<Long, LogEntry.Commit> counting) {
    last = sequence;
    begin = sequence;
    owner = entry;
    live.clear();
    live.putAll(counting);
    commits.clear();
  }

  /** An entry follows the last one. */
  void add(final long sequence, final LogEntry entry) {
    switch (entry) {
      case LogEntry.Begin run -> begin(sequence, run, counting(run.live()));
      case LogEntry.Commit commit -> {
        live.values().removeIf(older -> older.number() == commit.number());
        live.put(sequence, commit);
        commits.add(commit);
      }
      case LogEntry.Remove remove -> live.keySet().retainAll(remove.live());
    }
    last = sequence;
  }

  private SortedMap<Long, LogEntry.Commit> counting(final Collection<Long> sequences) {
    final SortedMap<Long, LogEntry.Commit> counting = new TreeMap<>(live);
    counting.keySet().retainAll(sequences);
    return counting;
  }

  /**
   * The sequence of the last entry.
   *
   * @return 0 when there is none
   */
  public long last() {
    return last;
  }

  /**
   * The sequence of the last begin.
   *
   * @return 0 when there is none
   */
  public long begin() {
    return begin;
  }

  /**
   * The last begin: its run is the one that may append.
   *
   * @return empty when there is none
   */
  public Optional<LogEntry.Begin> owner() {
    return Optional.ofNullable(owner);
  }

  /**
   * The commits that count.
   *
   * @return by sequence, the first one first
   */
  public SortedMap<Long, LogEntry.Commit> live() {
    return new TreeMap<>(live);
  }

  /**
   * Whether the last run has committed a checkpoint in this round of writing it or in a later one.
   *
   * @param number the checkpoint's number
   * @param round the round
   * @return true also when the commit counts no more
   */
  public boolean isDecided(final long number, final long round) {
    return commits.stream().anyMatch(one -> one.number() == number && one.round() >= round);
  }
}
