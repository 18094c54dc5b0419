package org.sluice.iop.checkpoint;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.sluice.iop.journal.Entry;

/**
 * The writings to the files of a checkpoint since its last commit that are in them no more. A round
 * of writing ends when a file that was closed in it is begun anew while the checkpoint is whole, at
 * the times that processes tell: rings are read one after another, and perhaps late. Service thread
 * only.
 */
final class Rounds {
  /** The most files whose writings are noted, as scratch files may come without end. */
  private static final int MOST = 1 << 16;

  /** The most writings of a file: the first tells that it was there, the last ones its round. */
  private static final int MOST_OF_FILE = 4;

  private final Map<String, List<Entry.Writing>> gone = new LinkedHashMap<>();

  /** The begin or a closing of a writing, with its time. */
  private record Event(long time, boolean closes, Entry.Writing writing) {}

  /** The files that were closed in a round. */
  private static final class Closed {
    private final Map<String, Entry.Writing> paths = new HashMap<>();
    private final Map<Long, Integer> files = new HashMap<>();
    private int whole;
    private boolean marked;
    private boolean killed;

    private void add(final Entry.Writing writing, final Grouping grouping) {
      remove(writing, grouping);
      paths.put(writing.path(), writing);
      killed |= writing.killed();
      whole += files.merge(writing.part(), 1, Integer::sum) == grouping.filesPerRank() ? 1 : 0;
      marked |= grouping.marks(writing.path());
    }

    /** Removes the writing of a file that is written anew. */
    private void remove(final Entry.Writing next, final Grouping grouping) {
      final Entry.Writing writing = paths.remove(next.path());
      if (writing != null) {
        whole -=
            files.merge(writing.part(), -1, Integer::sum) == grouping.filesPerRank() - 1 ? 1 : 0;
        marked = marked && paths.keySet().stream().anyMatch(grouping::marks);
      }
    }

    private boolean isWhole(final Grouping grouping, final int expected) {
      final boolean all = grouping.hasMarkers() ? marked : expected > 0 && whole >= expected;
      return all && !(killed && isOutlived());
    }

    /**
     * Returns whether a file of a killed process is beside one of a later process. Processes that
     * come after a kill write its remains anew: all this is one round, and not whole.
     */
    private boolean isOutlived() {
      final int latest =
          paths.values().stream().mapToInt(Entry.Writing::killsBefore).max().orElse(0);
      return paths.values().stream()
          .anyMatch(writing -> writing.killed() && writing.killsBefore() < latest);
    }
  }

  public void add(final Entry.Writing writing) {
    if (gone.size() < MOST || gone.containsKey(writing.path())) {
      final List<Entry.Writing> its =
          gone.computeIfAbsent(writing.path(), any -> new ArrayList<>());
      its.add(writing);
      if (its.size() > MOST_OF_FILE) {
        its.remove(1);
      }
    }
  }

  public void sum(final Consumer<Entry.Writing> to) {
    gone.values().forEach(its -> its.forEach(to));
  }

  /**
   * Finds when the present round began: a file that was closed last before that is of an earlier
   * one.
   *
   * @param expected how many ranks write it; 0 unknown
   * @return 0 for the first round
   */
  public long began(
      final Stream<Entry.Writing> present, final Grouping grouping, final int expected) {
    if (gone.isEmpty()) {
      return 0;
    }
    long began = 0;
    Closed closed = new Closed();
    for (final Event event : events(present)) {
      if (event.closes) {
        closed.add(event.writing, grouping);
      } else if (closed.paths.containsKey(event.writing.path())
          && closed.isWhole(grouping, expected)) {
        began = event.time;
        closed = new Closed();
      } else {
        closed.remove(event.writing, grouping);
      }
    }
    return began;
  }

  private static Stream<Event> events(final Entry.Writing writing) {
    final Event began = new Event(writing.begun(), false, writing);
    return writing.whole() == 0
        ? Stream.of(began)
        : Stream.of(
            began,
            new Event(writing.whole(), true, writing),
            new Event(writing.closed(), true, writing));
  }

  private List<Event> events(final Stream<Entry.Writing> present) {
    return Stream.concat(gone.values().stream().flatMap(List::stream), present)
        .flatMap(Rounds::events)
        .sorted(Comparator.comparingLong(Event::time).thenComparing(Event::closes))
        .toList();
  }
}
