package org.sluice.core.series;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.engine.Engine;
import org.sluice.core.engine.NoObjectException;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;

/**
 * The log of a series: entries under consecutive keys, none of which ever changes or goes. So what
 * was read once is kept, and the next reading asks for what follows. A list only says where to
 * begin. Not thread-safe.
 */
public final class SeriesLog {
  private static final String FOLDER = "log/";

  private final Engine engine;
  private final SeriesState state = new SeriesState();

  /** An entry names all nodes, and so does the next one. */
  private int longest = 1 << 14;

  /** Whether the last entry was another node's, which may not have made it durable. */
  private boolean unsure;

  /** Says what is to be appended. */
  @FunctionalInterface
  public interface Step {
    /**
     * What is to be appended to a log.
     *
     * @param state what the log adds up to at this moment
     * @return null for nothing
     * @throws IOException when that cannot be said
     */
    LogEntry next(SeriesState state) throws IOException;
  }

  /**
   * A series' log.
   *
   * @param engine where it is
   */
  public SeriesLog(final Engine engine) {
    this.engine = engine;
  }

  /**
   * Reads what was appended since.
   *
   * @return what the log adds up to now; the next reading or appending changes it
   * @throws IOException when that fails
   */
  public SeriesState read() throws IOException {
    return read(any -> false);
  }

  /**
   * Reads what was appended since, as far as a caller has to know.
   *
   * @param enough whether the log has said by now what is asked of it
   * @return what it adds up to there; the next reading or appending changes it
   * @throws IOException when that fails
   */
  SeriesState read(final Predicate<SeriesState> enough) throws IOException {
    if (state.last() == 0) {
      readBack();
    }
    while (!enough.test(state)) {
      final LogEntry entry = find(state.last() + 1);
      if (entry == null) {
        break;
      }
      state.add(state.last() + 1, entry);
    }
    return state;
  }

  /**
   * To be called before anything is done that would be wrong without an entry that was read: the
   * node that appended it may not have come so far.
   *
   * @throws IOException when that fails
   */
  void makeDurable() throws IOException {
    if (unsure) {
      engine.makeDurable(FOLDER);
      unsure = false;
    }
  }

  /** From some entry of late back to the last begin, which says what counted before it. */
  private void readBack() throws IOException {
    final Deque<LogEntry> later = new ArrayDeque<>();
    for (long sequence = listed(); sequence > 0; sequence--) {
      final LogEntry entry = there(sequence);
      if (entry instanceof final LogEntry.Begin begin) {
        state.begin(sequence, begin, commits(begin.live()));
        for (final LogEntry one : later) {
          state.add(state.last() + 1, one);
        }
        return;
      }
      later.addFirst(entry);
    }
    if (!later.isEmpty()) {
      throw new DamagedException(engine + "/" + FOLDER, 0, "the log has no begin");
    }
  }

  private long listed() throws IOException {
    final List<String> keys = engine.list(FOLDER);
    try {
      return keys.isEmpty() ? 0 : Long.parseLong(keys.getLast().substring(FOLDER.length()));
    } catch (final NumberFormatException e) {
      throw new DamagedException(engine + "/" + keys.getLast(), 0, "it is no entry of a log");
    }
  }

  private SortedMap<Long, LogEntry.Commit> commits(final List<Long> sequences) throws IOException {
    final SortedMap<Long, LogEntry.Commit> commits = new TreeMap<>();
    for (final long sequence : sequences) {
      if (!(there(sequence) instanceof final LogEntry.Commit commit)) {
        throw new DamagedException(name(sequence), 0, "it is no commit, as a begin says it is");
      }
      commits.put(sequence, commit);
    }
    return commits;
  }

  /**
   * Appends an entry, if it is still to be appended when nothing else comes before it.
   *
   * @param step asked again whenever the log has grown meanwhile: its own entry may be there, as an
   *     answer can get lost
   * @return what the log adds up to then
   * @throws IOException when that fails; the entry may be there, or come yet
   */
  public SeriesState append(final Step step) throws IOException {
    while (true) {
      read();
      final LogEntry entry = step.next(state);
      if (entry == null) {
        makeDurable();
        return state;
      }
      final long sequence = state.last() + 1;
      if (put(key(sequence), LogEntryCodec.encode(entry))) {
        makeDurable();
        state.add(sequence, entry);
        return state;
      }
    }
  }

  private boolean put(final String key, final byte[] entry) throws IOException {
    final boolean[] won = new boolean[1];
    Fault.at(
        FaultPoint.SERIES_APPEND, "append " + key, () -> won[0] = engine.putIfAbsent(key, entry));
    return won[0];
  }

  /**
   * Where a run began, as far as the log was read.
   *
   * @param run its name
   * @return the sequence of its begin, 0 when there is none
   * @throws IOException when that cannot be told
   */
  public long beginOf(final String run) throws IOException {
    LogEntry.Begin entry = state.owner().orElse(null);
    long sequence = state.begin();
    while (sequence > 0 && !entry.run().equals(run)) {
      sequence = entry.previous(); // smaller
      entry = sequence > 0 ? beginAt(sequence) : null;
    }
    return sequence;
  }

  /** The begin at a sequence. */
  LogEntry.Begin beginAt(final long sequence) throws IOException {
    if (there(sequence) instanceof final LogEntry.Begin begin) {
      return begin;
    }
    throw new DamagedException(name(sequence), 0, "it is no begin, as a later one says it is");
  }

  private LogEntry find(final long sequence) throws IOException {
    try {
      return get(sequence);
    } catch (final NoObjectException end) {
      return null;
    }
  }

  /** One that another entry, or a list, says is there. None ever goes. */
  private LogEntry there(final long sequence) throws IOException {
    try {
      return get(sequence);
    } catch (final NoObjectException missing) {
      final DamagedException damage = new DamagedException(name(sequence), 0, "it is missing");
      damage.initCause(missing);
      throw damage;
    }
  }

  private LogEntry get(final long sequence) throws IOException {
    final byte[] bytes = engine.getAll(key(sequence), LogEntryCodec.MAX_LENGTH, 2 * longest);
    longest = Math.max(longest, bytes.length);
    final LogEntry entry = LogEntryCodec.decode(name(sequence), bytes);
    if (!entry.isBehindAllItNames(sequence)) {
      throw new DamagedException(name(sequence), 0, "it names an entry that is not before it");
    }
    unsure = true;
    return entry;
  }

  /** Where an entry is: its folder and it. */
  static List<String> keys(final long sequence) {
    return List.of(FOLDER, key(sequence));
  }

  private String name(final long sequence) {
    return engine + "/" + key(sequence);
  }

  private static String key(final long sequence) {
    return "%s%010d".formatted(FOLDER, sequence);
  }
}
