package org.sluice.core.store.series;

import java.time.Instant;
import java.util.List;

/** An entry of a series' log. Its sequence, from 1, is in its key. */
public sealed interface LogEntry {
  /**
   * Whether all entries that it names can be before it.
   *
   * @param sequence its own
   * @return false where the log says what cannot be
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
   * A run has begun; those before it may append nothing any more.
   *
   * @param run its name, of which a series has no two
   * @param previous the sequence of the run's begin before it, 0 for none
   * @param live the sequences of the commits that count at this moment, in ascending order
   * @param node the node that appended it
   * @param time when, by that node's clock; only for people
   */
  record Begin(String run, long previous, List<Long> live, String node, Instant time)
      implements LogEntry {}

  /**
   * A checkpoint is committed. It supersedes any earlier commit of its number: that of an earlier
   * round, or one of the same round that has older parts of some nodes.
   *
   * @param begin the sequence of its run's begin
   * @param number the checkpoint's number
   * @param round how many times its run had written this number before
   * @param ranks ranks of the job
   * @param parts the names of its parts, see {@link PartKey#name()}
   * @param whole whether the entry itself has the bytes of the part, which is the only one
   * @param node the node that appended it
   * @param time when, by that node's clock; only for people
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
    /** Whether it commits just what another one does. */
    boolean isOf(final long itsBegin, final long itsNumber, final long itsRound) {
      return begin == itsBegin && number == itsNumber && round == itsRound;
    }

    /**
     * The keys of its parts; a part in the entry is under none.
     *
     * @return one for each node
     */
    public List<PartKey> keys() {
      return parts.stream()
          .map(name -> PartKey.parse(number, begin, round, name).orElseThrow())
          .toList();
    }
  }

  /**
   * Some commits count no more.
   *
   * @param begin the sequence of the begin of the run that removes them
   * @param live the sequences of all commits that count still, in ascending order
   * @param node the node that appended it
   * @param time when, by that node's clock; only for people
   */
  record Remove(long begin, List<Long> live, String node, Instant time) implements LogEntry {}
}
