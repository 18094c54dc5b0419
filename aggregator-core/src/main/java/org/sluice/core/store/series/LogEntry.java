package org.sluice.core.store.series;

import java.time.Instant;
import java.util.List;

/** An entry of a series' log. Its sequence, from 1, is in its key. */
public sealed interface LogEntry {
  /**
   * Returns whether all entries that this one names can be before it; false where the log is
   * impossible.
   */
  default boolean isBehindAllItNames(final long sequence) {
    final boolean first =
        switch (this) {
          case Begin begin -> begin.previous() >= 0 && begin.previous() < sequence;
          case Commit commit -> commit.begin() > 0 && commit.begin() < sequence;
          case Remove remove -> remove.begin() >= 0 && remove.begin() < sequence;
        };
    final List<Long> live =
        switch (this) {
          case Begin begin -> begin.live();
          case Commit commit -> List.of();
          case Remove remove -> remove.live();
        };
    return first && live.stream().allMatch(one -> one > 0 && one < sequence);
  }

  /**
   * The begin of a run; runs before it may append nothing any more.
   *
   * @param run name of the run, of which a series has no two
   * @param previous sequence of the begin of the run before, 0 for none
   * @param live sequences of the commits that count at this moment, in ascending order
   * @param time time by that node's clock; only for people
   */
  record Begin(String run, long previous, List<Long> live, String node, Instant time)
      implements LogEntry {}

  /**
   * The commit of a checkpoint. The commit supersedes any earlier one of its number: of an earlier
   * round, or of the same round with older parts of some nodes.
   *
   * @param begin sequence of its run's begin
   * @param round number of times that its run had written this number before
   * @param parts names of its parts, see {@link PartKey#name()}
   * @param whole whether the entry itself has the bytes of the part, which is the only one
   * @param time time by that node's clock; only for people
   */
  record Commit(
      long begin,
      long number,
      long round,
      int ranks,
      List<String> parts,
      boolean whole,
      String node,
      Instant time)
      implements LogEntry {
    /** Returns whether the commit is of a round of a checkpoint of a run. */
    boolean isOf(final long itsBegin, final long itsNumber, final long itsRound) {
      return begin == itsBegin && number == itsNumber && round == itsRound;
    }

    /** Returns the keys of its parts; a part in the entry is no object under its key. */
    public List<PartKey> keys() {
      return parts.stream()
          .map(name -> PartKey.parse(number, begin, round, name).orElseThrow())
          .toList();
    }
  }

  /**
   * The removal of some commits, which count no more.
   *
   * @param begin sequence of the begin of the run that removes them
   * @param live sequences of all commits that still count, in ascending order
   * @param time time by that node's clock; only for people
   */
  record Remove(long begin, List<Long> live, String node, Instant time) implements LogEntry {}
}
