package org.sluice.core.store.series;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiPredicate;

/**
 * The sum of a series' log from the last begin on. Not thread-safe; collections that it returns are
 * never changed.
 */
public final class SeriesState {
  private long last;
  private long begin;
  private LogEntry.Begin owner;
  private final SortedMap<Long, LogEntry.Commit> live = new TreeMap<>();

  /** The checkpoints before a damaged entry, which may have removed them. */
  private final SortedMap<Long, LogEntry.Commit> uncertain = new TreeMap<>();

  /** The last commit of each number by the last run. */
  private final Map<Long, Decision> decided = new HashMap<>();

  SeriesState() {}

  void begin(
      final long sequence,
      final LogEntry.Begin entry,
      final SortedMap<Long, LogEntry.Commit> counting) {
    last = sequence;
    begin = sequence;
    owner = entry;
    live.clear();
    live.putAll(counting);
    uncertain.clear();
    decided.clear();
  }

  void add(final long sequence, final LogEntry entry) {
    switch (entry) {
      case LogEntry.Begin run -> begin(sequence, run, counting(run.live()));
      case LogEntry.Commit commit -> {
        live.values().removeIf(older -> older.number() == commit.number());
        uncertain.values().removeIf(older -> older.number() == commit.number());
        live.put(sequence, commit);
        decided.put(commit.number(), Decision.of(sequence, commit));
      }
      case LogEntry.Remove remove -> {
        final SortedMap<Long, LogEntry.Commit> counting = counting(remove.live());
        live.clear();
        live.putAll(counting);
        uncertain.clear();
      }
    }
    last = sequence;
  }

  /** Adds an entry that cannot be read: nothing before it counts for certain. */
  void addUnknown(final long sequence) {
    uncertain.putAll(live);
    live.clear();
    last = sequence;
  }

  /** Returns the commits that counted before an entry that cannot be read. */
  SortedMap<Long, LogEntry.Commit> uncertain() {
    return new TreeMap<>(uncertain);
  }

  private SortedMap<Long, LogEntry.Commit> counting(final Collection<Long> sequences) {
    final SortedMap<Long, LogEntry.Commit> counting = new TreeMap<>(live);
    counting.putAll(uncertain);
    counting.keySet().retainAll(new HashSet<>(sequences));
    return counting;
  }

  /** Returns the sequence of the last entry, 0 when there is none. */
  public long last() {
    return last;
  }

  /** Returns the sequence of the last begin, 0 when there is none. */
  public long begin() {
    return begin;
  }

  /** Returns the last begin, whose run may append; empty when there is none. */
  public Optional<LogEntry.Begin> owner() {
    return Optional.ofNullable(owner);
  }

  /** Returns the commits that count, by sequence. */
  public SortedMap<Long, LogEntry.Commit> live() {
    return new TreeMap<>(live);
  }

  /**
   * Returns an entry that removes some of the commits that count.
   *
   * @param goes whether a commit goes, asked once for each
   * @return null when no commit goes
   */
  LogEntry removal(final String node, final BiPredicate<Long, LogEntry.Commit> goes) {
    final List<Long> stay = new ArrayList<>();
    live.forEach(
        (sequence, commit) -> {
          if (!goes.test(sequence, commit)) {
            stay.add(sequence);
          }
        });
    return stay.size() == live.size()
        ? null
        : new LogEntry.Remove(begin, stay, node, Instant.now().truncatedTo(ChronoUnit.MILLIS));
  }

  /**
   * Returns whether the last run has committed a part, or superseded it by a newer part of its node
   * or of a later round; true also when the commit counts no more.
   */
  public boolean isDecided(final PartKey part) {
    final Decision last = decided.get(part.number());
    return last != null && last.has(part);
  }

  /**
   * Returns whether the last run has committed a checkpoint in the round of a part, and it was
   * removed. No part of that round counts again: nodes have begun to delete it.
   */
  boolean isRemoved(final PartKey part) {
    final Decision last = decided.get(part.number());
    return last != null && last.round() == part.round() && !live.containsKey(last.sequence());
  }

  /**
   * Returns whether the last run has committed a checkpoint in a round, and that counts no more.
   */
  boolean isGone(final long number, final long round) {
    final Decision last = decided.get(number);
    return last != null
        && (last.round() > round || last.round() == round && !live.containsKey(last.sequence()));
  }

  /** Returns the last commit in the round of a part, if that counts. */
  Optional<LogEntry.Commit> commitOf(final PartKey part) {
    final Decision last = decided.get(part.number());
    return last != null && last.round() == part.round()
        ? Optional.ofNullable(live.get(last.sequence()))
        : Optional.empty();
  }

  /** Returns the parts that count by the last commit in the round of a part. */
  Collection<PartKey> decided(final PartKey part) {
    return commitOf(part).map(LogEntry.Commit::keys).orElse(List.of());
  }
}
