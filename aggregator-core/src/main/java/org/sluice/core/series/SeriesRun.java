package org.sluice.core.series;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import org.sluice.core.engine.Engine;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.store.RankSet;

/**
 * A run of a series, as one of its nodes takes part in it. Every method may be repeated after a
 * failure, and by another process of the node after a kill. Not thread-safe.
 */
public final class SeriesRun {
  private final Engine engine;
  private final SeriesLog log;
  private final String run;
  private final String node;
  private final long begin;
  private final boolean first;

  private SeriesRun(
      final Engine engine,
      final SeriesLog log,
      final String run,
      final String node,
      final long begin,
      final boolean first) {
    this.engine = engine;
    this.log = log;
    this.run = run;
    this.node = node;
    this.begin = begin;
    this.first = first;
  }

  /**
   * Takes part in a run, and begins it if no node has.
   *
   * @param engine where the series is
   * @param run the run's name, of which a series has no two
   * @param host this node's name
   * @return the run
   * @throws FencedException when another run began after it
   * @throws IOException when that fails
   */
  public static SeriesRun join(final Engine engine, final String run, final String host)
      throws IOException {
    final SeriesLog log = new SeriesLog(engine);
    final String node = PartKey.node(host);
    final SeriesState state =
        log.append(
            now ->
                log.beginOf(run) > 0
                    ? null
                    : new LogEntry.Begin(
                        run, now.begin(), List.copyOf(now.live().keySet()), node, now()));
    final SeriesRun joined = resume(engine, log, log.beginOf(run), node);
    joined.check(state);
    return joined;
  }

  /**
   * Goes on with a run.
   *
   * @param engine where the series is
   * @param begin the sequence of its begin
   * @param node this node's name, as keys have it
   * @return the run, which may be fenced by now
   * @throws IOException when that fails
   */
  public static SeriesRun resume(final Engine engine, final long begin, final String node)
      throws IOException {
    final SeriesLog log = new SeriesLog(engine);
    log.read();
    return resume(engine, log, begin, node);
  }

  private static SeriesRun resume(
      final Engine engine, final SeriesLog log, final long begin, final String node)
      throws IOException {
    final LogEntry.Begin entry = log.beginAt(begin);
    return new SeriesRun(engine, log, entry.run(), node, begin, entry.node().equals(node));
  }

  /**
   * Whether this node is the one that began it.
   *
   * @return whether its entry in the log is this node's
   */
  public boolean isFirst() {
    return first;
  }

  /**
   * The sequence of its begin.
   *
   * @return over 0; no other run of the series has it
   */
  public long begin() {
    return begin;
  }

  /**
   * What it is called.
   *
   * @return a name that no other run of the series has
   */
  public String name() {
    return run;
  }

  /**
   * Puts this node's part of a checkpoint, whose data must be on stable storage.
   *
   * @param number the checkpoint's number
   * @param round how many times this run had written this number before
   * @param ranks the ranks whose images it has, at least one
   * @param part its bytes
   * @throws IOException when that fails
   */
  public void put(
      final long number, final long round, final RankSet ranks, final List<ByteBuffer> part)
      throws IOException {
    final String key = new PartKey(number, begin, round, node, ranks).toString();
    Fault.at(FaultPoint.PART_PUT, "put " + key, () -> engine.put(key, part));
  }

  /**
   * Commits a checkpoint if the parts of all ranks are there and nobody has committed it.
   *
   * @param number the checkpoint's number
   * @param round the round of writing it
   * @param ranks ranks of the job
   * @return the ranks whose parts it waits for; none when the checkpoint is committed
   * @throws FencedException when another run began, before it was or after
   * @throws IOException when that fails
   */
  public RankSet commit(final long number, final long round, final int ranks) throws IOException {
    final List<String> parts = new ArrayList<>();
    final RankSet.Union union = new RankSet.Union();
    final String folder = PartKey.folder(number, begin, round);
    for (final String key : engine.list(folder)) {
      final Optional<PartKey> part = PartKey.parse(key);
      if (part.isPresent()) {
        if (!union.add(part.get().ranks())) {
          throw new IOException(
              "two nodes have parts of the same ranks, such as %s; was the run's name, %s, used for two launches?"
                  .formatted(key, run));
        }
        parts.add(part.get().name());
      }
    }
    final RankSet there = union.ranks();
    if (!there.covers(ranks)) {
      return isCommitted(number, round) ? RankSet.NONE : there.missing(ranks);
    }
    engine.makeDurable(folder); // a node may be about to, when the power fails
    final LogEntry.Commit commit =
        new LogEntry.Commit(begin, number, round, ranks, List.copyOf(parts), node, now());
    final SeriesState state =
        log.append(now -> now.begin() != begin || now.isDecided(number, round) ? null : commit);
    check(state);
    return RankSet.NONE;
  }

  /**
   * Whether the log says that a checkpoint of this run is committed, or a later round of it.
   *
   * @param number the checkpoint's number
   * @param round the round of writing it
   * @return true also when it counts no more
   * @throws FencedException when another run began, before it was or after
   * @throws IOException when that fails
   */
  public boolean isCommitted(final long number, final long round) throws IOException {
    final SeriesState state = log.read(now -> now.begin() != begin || now.isDecided(number, round));
    check(state);
    final boolean is = state.isDecided(number, round);
    if (is) {
      log.makeDurable();
    }
    return is;
  }

  /**
   * Lets a checkpoint of this run go, if it still counts.
   *
   * @param number its number
   * @param round its round; a later one stays
   * @throws FencedException when another run began
   * @throws IOException when that fails; nothing of it may be deleted then
   */
  public void remove(final long number, final long round) throws IOException {
    final SeriesState state = log.read(now -> now.begin() != begin || isGone(now, number, round));
    if (isGone(state, number, round)) {
      check(state);
      log.makeDurable();
    } else {
      check(log.append(now -> now.begin() == begin ? removal(now, number, round) : null));
    }
  }

  /** Whether the log says that it was committed, and counts no more. */
  private boolean isGone(final SeriesState state, final long number, final long round) {
    return state.isDecided(number, round)
        && state.live().values().stream().noneMatch(one -> one.isOf(begin, number, round));
  }

  private LogEntry removal(final SeriesState state, final long number, final long round) {
    final List<Long> stay = new ArrayList<>(state.live().keySet());
    state.live().entrySet().stream()
        .filter(entry -> entry.getValue().isOf(begin, number, round))
        .forEach(entry -> stay.remove(entry.getKey()));
    return stay.size() == state.live().size()
        ? null
        : new LogEntry.Remove(begin, stay, node, now());
  }

  /**
   * The parts of this node that no commit needs any more, nor will: they were removed or
   * superseded. Their objects may go.
   *
   * @param mine parts of this node in this run
   * @return those of them
   * @throws FencedException when another run began: its nodes collect then
   * @throws IOException when that fails
   */
  public List<PartKey> gone(final List<PartKey> mine) throws IOException {
    final SeriesState state = log.read();
    check(state);
    log.makeDurable();
    return mine.stream()
        .filter(part -> part.begin() == begin && isGone(state, part.number(), part.round()))
        .toList();
  }

  /**
   * The commits that count, also when another run began.
   *
   * @return by sequence, the first one first
   * @throws IOException when that fails
   */
  public SortedMap<Long, LogEntry.Commit> live() throws IOException {
    return log.read().live();
  }

  private void check(final SeriesState state) throws FencedException {
    if (state.begin() != begin) {
      throw new FencedException(run, state.owner().orElseThrow());
    }
  }

  private static Instant now() {
    return Instant.now().truncatedTo(ChronoUnit.MILLIS);
  }
}
