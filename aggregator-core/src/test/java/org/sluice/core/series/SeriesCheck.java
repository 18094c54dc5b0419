package org.sluice.core.series;

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
import org.sluice.core.engine.Engine;
import org.sluice.core.store.RankSet;

/**
 * What must be true of a series at every moment, found in its objects alone, and not by the classes
 * under test but for the reading of single entries.
 */
final class SeriesCheck {
  private final SortedMap<String, byte[]> objects;
  private final int ranks;
  private final Map<String, byte[]> known = new HashMap<>();
  private final List<LogEntry> log = new ArrayList<>();

  /** A checkpoint by one round of writing of one run. */
  record Round(String run, long number, long round) {}

  /** Something that must not be. */
  static final class Broken extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Broken(final String what) {
      super(what, null, false, false);
    }
  }

  SeriesCheck(final SortedMap<String, byte[]> objects, final int ranks) {
    this.objects = objects;
    this.ranks = ranks;
  }

  private static void require(final boolean truth, final String otherwise) {
    if (!truth) {
      throw new Broken(otherwise);
    }
  }

  void check() {
    readLog();
    long begin = 0;
    final Map<Long, Long> newest = new HashMap<>();
    final Set<Round> committed = new HashSet<>();
    final Map<Long, Long> rounds = new HashMap<>();
    for (int i = 0; i < log.size(); i++) {
      if (log.get(i) instanceof LogEntry.Begin) {
        begin = i + 1;
        rounds.clear();
      } else if (log.get(i) instanceof final LogEntry.Commit commit) {
        require(commit.begin() == begin, "a run committed after a later one began");
        require(committed.add(round(commit)), "a checkpoint was committed twice");
        require(
            rounds.getOrDefault(commit.number(), -1L) < commit.round(),
            "an older round was committed after a newer one");
        rounds.put(commit.number(), commit.round());
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

  /** What was told to be committed is, or a later round is. */
  void checkTold(final Set<Round> told) {
    final Map<String, Long> latest = new HashMap<>();
    for (final LogEntry entry : log) {
      if (entry instanceof final LogEntry.Commit commit) {
        final Round one = round(commit);
        latest.merge(one.run() + ":" + one.number(), one.round(), Math::max);
      }
    }
    for (final Round one : told) {
      require(
          latest.getOrDefault(one.run() + ":" + one.number(), -1L) >= one.round(),
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
    for (final PartKey key : commit.keys()) {
      there = there.with(key.ranks());
      final String part = commit.whole() ? partIn(sequence) : text(key.toString());
      final int space = part.indexOf(' ');
      final Round round = round(commit);
      require(part.substring(0, space).equals(mark(round)), "a part is of another round or run");
      for (final String data : part.substring(space + 1).split(" ")) {
        require(text(data).equals(mark(round)), "data is of another round or run");
      }
    }
    require(there.covers(ranks), "a committed checkpoint lacks a part");
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

  /** What the data and the part of a round say. */
  static String mark(final Round round) {
    return round.run() + ":" + round.number() + ":" + round.round();
  }

  /** Whether a new reader, to whom lists may be of a while ago, sees what counts now. */
  void checkReader(final Engine engine) throws IOException {
    require(new SeriesLog(engine).read().live().equals(live()), "a reader sees something else");
  }
}
