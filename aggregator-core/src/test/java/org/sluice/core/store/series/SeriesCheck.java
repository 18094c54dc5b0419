package org.sluice.core.store.series;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.sluice.core.store.model.RankSet;
import org.sluice.core.store.objects.Engine;

/**
 * What must be true of a series at every moment, found in its objects alone, and not by the classes
 * under test but for the reading of single entries.
 */
final class SeriesCheck {
  private final SortedMap<String, byte[]> objects;
  private final Writers writers;
  private final Map<String, byte[]> known = new HashMap<>();
  private final List<LogEntry> log = new ArrayList<>();

  /** A checkpoint by one round of writing of one run. */
  record Round(String run, long number, long round) {}

  /** A part of a run that a node was told is committed. */
  record Told(String run, PartKey part) {}

  /** Something that must not be. */
  static final class Broken extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Broken(final String what) {
      super(what, null, false, false);
    }
  }

  SeriesCheck(final SortedMap<String, byte[]> objects, final Writers writers) {
    this.objects = objects;
    this.writers = writers;
  }

  private static void require(final boolean truth, final String otherwise) {
    if (!truth) {
      throw new Broken(otherwise);
    }
  }

  void check() {
    readLog();
    long begin = 0;
    final Map<Long, LogEntry.Commit> last = new HashMap<>();
    final Set<Round> removed = new HashSet<>();
    for (int i = 0; i < log.size(); i++) {
      switch (log.get(i)) {
        case LogEntry.Begin run -> {
          begin = i + 1;
          last.clear();
        }
        case LogEntry.Commit commit -> {
          require(commit.begin() == begin, "a run committed after a later one began");
          require(!removed.contains(round(commit)), "what was removed was committed again");
          final LogEntry.Commit before = last.put(commit.number(), commit);
          require(before == null || isNewer(commit, before), "what is no newer was committed");
        }
        case LogEntry.Remove remove ->
            last.values().stream()
                .filter(commit -> !remove.live().contains(log.indexOf(commit) + 1L))
                .forEach(commit -> removed.add(round(commit)));
      }
    }
    live().forEach(this::checkBytes);
  }

  /** What counts: of each number the last commit, unless it was removed. */
  SortedMap<Long, LogEntry.Commit> live() {
    final SortedMap<Long, LogEntry.Commit> live = new TreeMap<>();
    for (int i = 0; i < log.size(); i++) {
      switch (log.get(i)) {
        case LogEntry.Begin begin -> {}
        case LogEntry.Commit commit -> {
          live.values().removeIf(older -> older.number() == commit.number());
          live.put(i + 1L, commit);
        }
        case LogEntry.Remove remove -> live.keySet().retainAll(remove.live());
      }
    }
    return live;
  }

  /** Of a later round; or of the same with no older part of any node, and a newer one of some. */
  private static boolean isNewer(final LogEntry.Commit one, final LogEntry.Commit before) {
    return one.round() > before.round()
        || one.round() == before.round()
            && !one.parts().equals(before.parts())
            && growths(before).entrySet().stream()
                .allMatch(part -> growths(one).getOrDefault(part.getKey(), -1L) >= part.getValue());
  }

  private static Map<String, Long> growths(final LogEntry.Commit commit) {
    final Map<String, Long> growths = new HashMap<>();
    for (final PartKey part : commit.keys()) {
      growths.put(part.node(), part.growth());
    }
    return growths;
  }

  /** What was told to be committed is, or a newer part of its node is, or a later round. */
  void checkTold(final Set<Told> told) {
    final Map<String, LogEntry.Commit> latest = new HashMap<>();
    for (final LogEntry entry : log) {
      if (entry instanceof final LogEntry.Commit commit) {
        latest.put(round(commit).run() + ":" + commit.number(), commit);
      }
    }
    for (final Told one : told) {
      final LogEntry.Commit commit = latest.get(one.run() + ":" + one.part().number());
      require(
          commit != null
              && (commit.round() > one.part().round()
                  || commit.round() == one.part().round()
                      && growths(commit).getOrDefault(one.part().node(), -1L)
                          >= one.part().growth()),
          "what was told to be committed is not in the log");
    }
  }

  private Round round(final LogEntry.Commit commit) {
    return new Round(
        ((LogEntry.Begin) log.get((int) commit.begin() - 1)).run(),
        commit.number(),
        commit.round());
  }

  private void readLog() {
    for (final Map.Entry<String, byte[]> object : objects.tailMap("log/").entrySet()) {
      if (!object.getKey().startsWith("log/")) {
        break;
      }
      final byte[] before = known.put(object.getKey(), object.getValue());
      require(before == null || before == object.getValue(), "an entry of the log has changed");
      if (before == null) {
        require(
            object.getKey().equals("log/%010d".formatted(log.size() + 1)), "the log has a hole");
        log.add(decode(object.getKey(), object.getValue()));
      }
    }
  }

  private static LogEntry decode(final String key, final byte[] bytes) {
    try {
      return LogEntryCodec.decode(key, bytes);
    } catch (final IOException e) {
      throw new Broken(e.getMessage());
    }
  }

  private void checkBytes(final long sequence, final LogEntry.Commit commit) {
    RankSet there = RankSet.NONE;
    for (final PartKey name : commit.keys()) {
      there = there.with(name.ranks());
      final String part = commit.whole() ? partIn(sequence) : text(name.toString());
      final int space = part.indexOf(' ');
      final String mark = mark(round(commit).run(), name);
      require(part.substring(0, space).equals(mark), "a part is of another round or run");
      for (final String data : part.substring(space + 1).split(" ")) {
        require(text(data).equals(mark), "data is of another round or run");
      }
    }
    require(
        writers.isStale(round(commit)) || writers.of(round(commit)).without(there).isEmpty(),
        "a committed checkpoint lacks a part");
  }

  private String partIn(final long sequence) {
    final String key = "log/%010d".formatted(sequence);
    try {
      return new String(LogEntryCodec.decodePart(key, objects.get(key)), StandardCharsets.UTF_8);
    } catch (final IOException e) {
      throw new Broken(e.getMessage());
    }
  }

  private String text(final String key) {
    final byte[] bytes = objects.get(key);
    require(bytes != null, "bytes of a committed checkpoint are gone");
    return new String(bytes, StandardCharsets.UTF_8);
  }

  void checkSame(final long one, final long other) {
    require(one == other, "two nodes give what they have at the end two numbers");
  }

  /** What a part and its data say. */
  static String mark(final String run, final PartKey part) {
    return "%s:%d:%d:%d".formatted(run, part.number(), part.round(), part.growth());
  }

  /** Whether a new reader, to whom lists may be of a while ago, sees what counts now. */
  void checkReader(final Engine engine) throws IOException {
    require(new SeriesLog(engine).read().live().equals(live()), "a reader sees something else");
  }
}
