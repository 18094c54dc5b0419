package org.sluice.core.store.series;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.objects.NoObjectException;

/**
 * The log of a series: entries under consecutive keys, none of which ever changes or goes. So
 * entries once read are kept, and the next reading asks for those that follow. A list only says
 * where to begin. Not thread-safe.
 */
public final class SeriesLog {
  public static final String FOLDER = "log/";

  private static final Pattern SEQUENCE = Pattern.compile("\\d{10,18}");

  private final Engine engine;
  private final Damage damage;
  private final SeriesState state = new SeriesState();
  private final List<Long> holes = new ArrayList<>();

  /** The treatment of an entry that cannot be read. */
  @FunctionalInterface
  public interface Damage {
    void found(DamagedException found) throws DamagedException;
  }

  /** The longest entry so far, in bytes: an entry names all nodes, and so does the next one. */
  private int longest = 1 << 14;

  /**
   * The keys of entries read since, which another node may not have made durable. Null for a log
   * that is read only.
   */
  private final Set<String> unsure;

  /** A decision about the entry to append. */
  @FunctionalInterface
  public interface Step {
    /** Returns the entry to append to a log; null for nothing. */
    LogEntry next(SeriesState state) throws IOException;
  }

  public SeriesLog(final Engine engine) {
    this(
        engine,
        found -> {
          throw advised(found);
        },
        new HashSet<>());
  }

  static DamagedException advised(final DamagedException found) {
    final DamagedException advised =
        new DamagedException(
            found.file(),
            found.offset(),
            found.reason() + "; sluice gc --damaged-logs goes on without it");
    advised.initCause(found);
    return advised;
  }

  private SeriesLog(final Engine engine, final Damage damage, final Set<String> unsure) {
    this.engine = engine;
    this.damage = damage;
    this.unsure = unsure;
  }

  /**
   * Returns a log to repair, which goes on in spite of damage. Nothing may be removed by what it
   * says.
   */
  static SeriesLog toRepair(final Engine engine) {
    return new SeriesLog(engine, damaged -> {}, new HashSet<>());
  }

  /**
   * Returns a log that is only read, in spite of damage, for however long. Nothing may be appended
   * or removed by what it says.
   *
   * @param engine the storage of the series, which stays the caller's
   */
  public static SeriesLog toRead(final Engine engine, final Damage damage) {
    return new SeriesLog(engine, damage, null);
  }

  /**
   * Reads the entries appended since.
   *
   * @return sum of the log now; the next reading or appending changes it
   */
  public SeriesState read() throws IOException {
    return read(any -> false);
  }

  /**
   * Reads the entries appended since, until a caller knows enough.
   *
   * @return sum of the log there; the next reading or appending changes it
   */
  SeriesState read(final Predicate<SeriesState> enough) throws IOException {
    if (state.last() == 0) {
      readBack();
    }
    while (!enough.test(state) && addNext()) {
      // there may be more
    }
    return state;
  }

  private boolean addNext() throws IOException {
    final long sequence = state.last() + 1;
    try {
      state.add(sequence, get(sequence));
    } catch (final NoObjectException end) {
      return false;
    } catch (final DamagedException e) {
      damage.found(e);
      state.addUnknown(sequence);
    }
    return true;
  }

  SeriesState known() {
    return state;
  }

  /**
   * Makes the entries durable that were read. The call comes before any step that would be wrong
   * without one of them: the node that appended an entry may not have done so yet.
   */
  public void makeDurable() throws IOException {
    if (unsure == null) {
      throw new IllegalStateException("this log is read only");
    }
    if (!unsure.isEmpty()) {
      engine.makeDurable(unsure);
      unsure.clear();
    }
  }

  /** Reads from a late entry back to the last begin, which says which commits counted before it. */
  private void readBack() throws IOException {
    final Deque<Optional<LogEntry>> later = new ArrayDeque<>();
    long sequence = listed();
    final boolean isEmpty = sequence == 0;
    for (; sequence > 0; sequence--) {
      final Optional<LogEntry> entry = readable(sequence);
      if (entry.isPresent() && entry.get() instanceof final LogEntry.Begin begin) {
        state.begin(sequence, begin, commits(begin.live()));
        break;
      }
      later.addFirst(entry);
    }
    if (sequence == 0 && !isEmpty && later.stream().allMatch(Optional::isPresent)) {
      damage.found(new DamagedException(engine + "/" + FOLDER, 0, "the log has no begin"));
    }
    for (final Optional<LogEntry> one : later) {
      if (one.isPresent()) {
        state.add(state.last() + 1, one.get());
      } else {
        state.addUnknown(state.last() + 1);
      }
    }
  }

  private Optional<LogEntry> readable(final long sequence) throws IOException {
    try {
      return Optional.of(there(sequence));
    } catch (final DamagedException e) {
      damage.found(e);
      if (e.getCause() instanceof NoObjectException) {
        holes.add(sequence);
      }
      return Optional.empty();
    }
  }

  /**
   * Fills the place of each missing entry. A reader from an earlier entry on would take the log to
   * end there. A begin is to follow, which says which commits count.
   */
  void fillHoles() throws IOException {
    for (final long sequence : holes) {
      final LogEntry nothing = new LogEntry.Remove(0, List.of(), "nobody", Instant.EPOCH);
      engine.putIfAbsent(key(sequence), LogEntryCodec.encode(nothing, null));
    }
  }

  private long listed() throws IOException {
    return engine.list(FOLDER).stream()
        .map(key -> key.substring(FOLDER.length()))
        .filter(name -> SEQUENCE.matcher(name).matches())
        .mapToLong(Long::parseLong)
        .max()
        .orElse(0);
  }

  private SortedMap<Long, LogEntry.Commit> commits(final List<Long> sequences) throws IOException {
    final SortedMap<Long, LogEntry.Commit> commits = new TreeMap<>();
    for (final long sequence : sequences) {
      final Optional<LogEntry> entry = readable(sequence);
      if (entry.isPresent() && entry.get() instanceof final LogEntry.Commit commit) {
        commits.put(sequence, commit);
      } else if (entry.isPresent()) {
        damage.found(
            new DamagedException(name(sequence), 0, "it is no commit, as a begin says it is"));
      }
    }
    return commits;
  }

  /**
   * Appends an entry, if it is still to be appended when nothing else comes before it.
   *
   * @param step asked again whenever the log has grown meanwhile: its own entry may be there, as an
   *     answer can get lost
   * @return sum of the log then
   * @throws IOException when that fails; the entry may be there, or come yet
   */
  public SeriesState append(final Step step) throws IOException {
    return append(step, null);
  }

  /**
   * @param part the part that goes into a commit that {@linkplain LogEntry.Commit#whole has} one
   */
  SeriesState append(final Step step, final byte[] part) throws IOException {
    while (true) {
      read();
      final LogEntry entry = step.next(state);
      if (entry == null) {
        makeDurable();
        return state;
      }
      final long sequence = state.last() + 1;
      if (put(key(sequence), LogEntryCodec.encode(entry, part))) {
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
   * Returns where a run began, as far as the log was read.
   *
   * @param run told names, that of the last run first
   * @return sequence of the first begin that it takes, 0 when there is none
   */
  public long beginOf(final Predicate<String> run) throws IOException {
    Optional<LogEntry.Begin> entry = state.owner();
    long sequence = state.begin();
    while (entry.isPresent() && !run.test(entry.get().run())) {
      sequence = entry.get().previous(); // smaller
      entry = sequence > 0 ? readableBegin(sequence) : Optional.empty();
    }
    return entry.isPresent() ? sequence : 0;
  }

  private Optional<LogEntry.Begin> readableBegin(final long sequence) throws IOException {
    try {
      return Optional.of(begin(sequence));
    } catch (final DamagedException e) {
      damage.found(e);
      return Optional.empty();
    }
  }

  LogEntry.Begin beginAt(final long sequence) throws IOException {
    try {
      return begin(sequence);
    } catch (final DamagedException e) {
      throw advised(e);
    }
  }

  private LogEntry.Begin begin(final long sequence) throws IOException {
    if (there(sequence) instanceof final LogEntry.Begin begin) {
      return begin;
    }
    throw new DamagedException(name(sequence), 0, "it is no begin, as a later one says it is");
  }

  static byte[] part(final Engine engine, final long sequence) throws IOException {
    return LogEntryCodec.decodePart(
        engine + "/" + key(sequence), engine.getAll(key(sequence), LogEntryCodec.MAX_LENGTH));
  }

  /**
   * Returns an entry that another entry, or a list, names. No entry ever goes, so a missing one is
   * damage.
   */
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
    if (unsure != null) {
      unsure.add(key(sequence));
    }
    return entry;
  }

  /** Returns the damage of an entry that is missing, though others name it. */
  DamagedException missing(final long sequence) {
    return new DamagedException(
        name(sequence),
        0,
        "it is missing, so what it said counts no more; bring it back, or the next run deletes the rest");
  }

  /** Returns the keys of an entry: its folder and itself. */
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
