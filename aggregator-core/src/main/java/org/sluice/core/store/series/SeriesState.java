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
 * What a series' log adds up to from the last begin on. Not thread-safe; what it gives away is
 * never changed.
 */
public final class SeriesState {
  private long last;
  private long begin;
  private LogEntry.Begin owner;
  private final SortedMap<Long, LogEntry.Commit> live = new TreeMap<>();

  /** The checkpoints behind which an entry is damaged that may have removed them. */
  private final SortedMap<Long, LogEntry.Commit> uncertain = new TreeMap<>();

  /** What the last run has committed of each number last. */
  private final Map<Long, Decision> decided = new HashMap<>();

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
    uncertain.clear();
    decided.clear();
  }

  /** An entry follows the last one. */
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

  /** An entry follows that cannot be read: nothing before it counts for certain. */
  void addUnknown(final long sequence) {
    uncertain.putAll(live);
    live.clear();
    last = sequence;
  }

  /** The commits that counted before an entry that cannot be read. */
  SortedMap<Long, LogEntry.Commit> uncertain() {
    return new TreeMap<>(uncertain);
  }

  private SortedMap<Long, LogEntry.Commit> counting(final Collection<Long> sequences) {
    final SortedMap<Long, LogEntry.Commit> counting = new TreeMap<>(live);
    counting.putAll(uncertain);
    counting.keySet().retainAll(new HashSet<>(sequences));
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
   * What removes some of the commits that count.
   *
   * @param node who removes them
   * @param goes which ones, asked once for each
   * @return null when that is none
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
   * Whether the last run has committed a part, or what followed it: a newer part of its node, or a
   * later round.
   *
   * @param part a part of that run
   * @return true also when the commit counts no more
   */
  public boolean isDecided(final PartKey part) {
    final Decision last = decided.get(part.number());
    return last != null && last.has(part);
  }

  /**
   * Whether the last run has committed a checkpoint in the round of a part, and it was removed.
   * Nothing of that round counts again: nodes have begun to delete it.
   *
   * @param part a part of that run
   * @return false before it is committed in that round
   */
  boolean isRemoved(final PartKey part) {
    final Decision last = decided.get(part.number());
    return last != null && last.round() == part.round() && !live.containsKey(last.sequence());
  }

  /** Whether the last run has committed a checkpoint in a round, and that counts no more. */
  boolean isGone(final long number, final long round) {
    final Decision last = decided.get(number);
    return last != null
        && (last.round() > round || last.round() == round && !live.containsKey(last.sequence()));
  }

  /** The last commit in the round of a part, if that counts. */
  Optional<LogEntry.Commit> commitOf(final PartKey part) {
    final Decision last = decided.get(part.number());
    return last != null && last.round() == part.round()
        ? Optional.ofNullable(live.get(last.sequence()))
        : Optional.empty();
  }

  /** The parts that count by the last commit in the round of a part. */
  Collection<PartKey> decided(final PartKey part) {
    return commitOf(part).map(LogEntry.Commit::keys).orElse(List.of());
  }
}
