package org.sluice.core.store.series;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.store.format.SealedText;
import org.sluice.core.store.model.RankSet;
import org.sluice.core.store.objects.Engine;

/**
 * A run of a series, as one of its nodes takes part in it. Every method may be repeated after a
 * failure, and by another process of the node after a kill. Not thread-safe.
 */
public final class SeriesRun {
  /**
   * The most bytes of a part within an entry. A longer part is an object of its own, like the parts
   * of several nodes.
   */
  public static final int MAX_WHOLE = 1 << 19;

  private final Engine engine;
  private final SeriesLog log;
  private final String run;
  private final String node;
  private final long begin;
  private final LogEntry.Begin entry;

  private SeriesRun(
      final Engine engine,
      final SeriesLog log,
      final String node,
      final long begin,
      final LogEntry.Begin entry) {
    this.engine = engine;
    this.log = log;
    this.run = entry.run();
    this.node = node;
    this.begin = begin;
    this.entry = entry;
  }

  /** A decision whether a run may begin after another one, which commits nothing more then. */
  @FunctionalInterface
  public interface Admission {
    /**
     * Returns when the run may begin.
     *
     * @throws IOException when the run may not begin, or the decision fails
     */
    void follow(LogEntry.Begin before) throws IOException;
  }

  /**
   * Takes part in a run, which may begin after any other.
   *
   * @param run name of the run, of which a series has no two
   * @throws FencedException when another run began after it
   */
  public static SeriesRun join(final Engine engine, final String run, final String host)
      throws IOException {
    return join(engine, run, host, before -> {});
  }

  /**
   * Takes part in a run, and begins it if no node has.
   *
   * @param run name of the run, of which a series has no two
   * @param admission asked before the run begins after another one
   * @throws FencedException when another run began after it
   */
  public static SeriesRun join(
      final Engine engine, final String run, final String host, final Admission admission)
      throws IOException {
    final SeriesLog log = new SeriesLog(engine);
    final String node = PartKey.node(host);
    final SeriesState state =
        log.append(
            now -> {
              if (log.beginOf(run::equals) > 0) {
                return null;
              }
              if (now.owner().isPresent()) {
                admission.follow(now.owner().get());
              }
              return new LogEntry.Begin(
                  run, now.begin(), List.copyOf(now.live().keySet()), node, now());
            });
    final SeriesRun joined = resume(engine, log, log.beginOf(run::equals), node);
    joined.check(state);
    log.makeDurable();
    return joined;
  }

  /**
   * Goes on with a run.
   *
   * @return the run, which may be fenced by now
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
    return new SeriesRun(engine, log, node, begin, entry);
  }

  /** {@return whether this node began the run} */
  public boolean isFirst() {
    return entry.node().equals(node);
  }

  /** Returns the name of this node, as keys have it. */
  public String node() {
    return node;
  }

  /** Returns the sequence of the run's begin. */
  public long begin() {
    return begin;
  }

  /** {@return name of the run, which no other run of the series has} */
  public String name() {
    return run;
  }

  /**
   * Returns the key of this node's part of a checkpoint that covers all ranks.
   *
   * @param round number of times that this run had written this number before
   * @param growth number of times that files had joined the checkpoint on this node in that round
   * @param ranks ranks whose images the part has, at least one
   */
  public PartKey part(final long number, final long round, final long growth, final RankSet ranks) {
    return new PartKey(number, begin, round, node, growth, ranks);
  }

  /** Puts this node's part of a checkpoint, whose data must be on stable storage. */
  public void put(final PartKey part, final List<ByteBuffer> bytes) throws IOException {
    Fault.at(FaultPoint.PART_PUT, "put " + part, () -> engine.put(part.toString(), bytes));
  }

  /** Lists the present parts of a checkpoint, in the round of one of them. */
  public Set<PartKey> parts(final PartKey part) throws IOException {
    final Set<PartKey> listed = new LinkedHashSet<>(Set.of(part));
    final String folder = PartKey.folder(part.number(), part.begin(), part.round());
    for (final String key : engine.list(folder)) {
      PartKey.parse(key).ifPresent(listed::add);
    }
    return listed;
  }

  /**
   * Commits a checkpoint with a part, if the parts of all ranks are there and may be committed
   * together. If the checkpoint is committed already, nothing is done.
   *
   * @return the ranks whose parts it waits for; none when the checkpoint is committed
   * @throws FencedException when another run began, before the commit or after
   * @throws RefusedException when the checkpoint can never be committed
   */
  public RankSet commit(
      final PartKey part, final Set<PartKey> listed, final int ranks, final PartsCheck check)
      throws IOException {
    final RankSet[] missing = {RankSet.NONE};
    final SeriesState state =
        log.append(
            now -> {
              if (now.begin() != begin || now.isDecided(part) || now.isRemoved(part)) {
                return null;
              }
              final Collection<PartKey> parts = newest(now.decided(part), listed);
              missing[0] = PartSet.ofOneLaunch(run, parts).missing(ranks);
              if (!missing[0].isEmpty()) {
                return null;
              }
              checkBegin();
              check.of(parts);
              // The node of a part may be about to make it durable, when the power fails.
              engine.makeDurable(parts.stream().map(PartKey::toString).toList());
              return commit(part, ranks, parts);
            });
    return isDecided(state, part, ranks) ? RankSet.NONE : missing[0];
  }

  private static Collection<PartKey> newest(
      final Collection<PartKey> decided, final Collection<PartKey> listed) {
    final List<PartKey> all = new ArrayList<>(decided);
    all.addAll(listed);
    return Decision.newest(all);
  }

  private LogEntry.Commit commit(
      final PartKey part, final int ranks, final Collection<PartKey> parts) {
    final List<String> names = parts.stream().map(PartKey::name).sorted().toList();
    return new LogEntry.Commit(
        begin, part.number(), part.round(), ranks, names, false, node, now());
  }

  /**
   * Commits a checkpoint of which this node has all ranks: its part is in the entry of the log.
   *
   * @param bytes content of the part, at most {@link #MAX_WHOLE}; its data must be on stable
   *     storage
   * @throws FencedException when another run began, before the commit or after
   * @throws RemovedException when the checkpoint was removed before
   */
  public void commit(final PartKey part, final byte[] bytes) throws IOException {
    final LogEntry.Commit commit =
        new LogEntry.Commit(
            begin,
            part.number(),
            part.round(),
            part.ranks().size(),
            List.of(part.name()),
            true,
            node,
            now());
    isDecided(
        log.append(
            now ->
                now.begin() != begin || now.isDecided(part) || now.isRemoved(part) ? null : commit,
            bytes),
        part,
        part.ranks().size());
  }

  /**
   * Returns whether the log says that a checkpoint of this run is committed with a part, or with a
   * part that superseded it.
   *
   * @param ranks ranks of the job, as this node counts them
   * @return true also when the commit counts no more
   * @throws FencedException when another run began, before the commit or after
   * @throws RemovedException when the checkpoint was removed before
   * @throws RefusedException when the node that committed it counts other ranks, or has not this
   *     node's part
   */
  public boolean isCommitted(final PartKey part, final int ranks) throws IOException {
    final SeriesState state =
        log.read(now -> now.begin() != begin || now.isDecided(part) || now.isRemoved(part));
    return isDecided(state, part, ranks);
  }

  /**
   * Returns whether a checkpoint was committed without the part of a node, as others did not see
   * its files. The checkpoint is to be committed again, with that part. No request goes to storage.
   */
  public boolean isLeftOut(final PartKey part) {
    return log.known().commitOf(part).filter(one -> Decision.lacks(one, part)).isPresent();
  }

  private boolean isDecided(final SeriesState state, final PartKey part, final int ranks)
      throws IOException {
    check(state);
    if (!state.isDecided(part) && state.isRemoved(part)) {
      throw new RemovedException(part);
    }
    final Optional<LogEntry.Commit> commit = state.commitOf(part);
    if (commit.isPresent()) {
      Decision.check(commit.get(), part, ranks, run);
    }
    final boolean is = state.isDecided(part);
    if (is) {
      log.makeDurable();
    }
    return is;
  }

  /**
   * Checks that the log still begins this run as it did when this node joined. The begin differs
   * where mounts disagree about a directory, or a name can be made twice.
   */
  private void checkBegin() throws IOException {
    if (!log.beginAt(begin).equals(entry)) {
      throw new RefusedException(
          "%s is another one than when node %s joined run %s: its mounts disagree; give all nodes one shared --store"
              .formatted(engine, node, run));
    }
  }

  /**
   * Removes a checkpoint of this run, if it still counts.
   *
   * @throws IOException when storage fails; no byte of it may be deleted then
   */
  public void remove(final long number, final long round) throws IOException {
    final SeriesState state = log.read(now -> now.begin() != begin || now.isGone(number, round));
    if (state.isGone(number, round)) {
      check(state);
      log.makeDurable();
    } else {
      remove((sequence, commit) -> commit.isOf(begin, number, round));
    }
  }

  /**
   * Removes checkpoints of any run that still count, in one entry of the log.
   *
   * @param goes asked for each, by the sequence of the entry that committed it
   * @throws IOException when storage fails; no byte of them may be deleted then
   */
  public void remove(final BiPredicate<Long, LogEntry.Commit> goes) throws IOException {
    check(log.append(now -> now.begin() == begin ? now.removal(node, goes) : null));
  }

  /** Checks that no other run has begun. */
  public void look() throws IOException {
    check(log.read());
  }

  /**
   * Returns the parts of this node that no commit needs any more, nor will: they were removed or
   * superseded. Their objects may go.
   *
   * @throws FencedException when another run began: its nodes collect then
   */
  public List<PartKey> gone(final List<PartKey> mine) throws IOException {
    final SeriesState state = log.read();
    check(state);
    log.makeDurable();
    final Set<PartKey> needed = new HashSet<>();
    state.live().values().forEach(commit -> needed.addAll(commit.keys()));
    return mine.stream()
        .filter(part -> part.begin() == begin && state.isDecided(part) && !needed.contains(part))
        .toList();
  }

  /** Returns the commits that count by sequence, also when another run began. */
  public SortedMap<Long, LogEntry.Commit> live() throws IOException {
    return log.read().live();
  }

  /**
   * Returns the numbers of earlier runs' checkpoints that counted when the log was read last. No
   * request goes to storage.
   */
  public Set<Long> numbersBefore() {
    return log.known().live().values().stream()
        .filter(commit -> commit.begin() != begin)
        .map(LogEntry.Commit::number)
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Returns by sequence the commits that counted when the log was read last. No request goes to
   * storage.
   */
  public SortedMap<Long, LogEntry.Commit> known() {
    return log.known().live();
  }

  /** Returns the last entry of the log that this node has read. */
  public long last() {
    return log.known().last();
  }

  /**
   * Records in a bucket how far the log goes, for a later run that finds it shorter. In a directory
   * each node's own store records it. Only the record of the node that began a run is read.
   */
  public void end() throws IOException {
    if (isFirst() && last() > begin) {
      engine.putIfAbsent(DataKey.ended(begin, node).toString(), SealedText.encode(last() + "\n"));
    }
  }

  /**
   * Returns the entries that the log lacked when this node began the run, by the record of the node
   * that began the run before. From then on no other node can tell, as the begin has their place.
   *
   * @return empty for nothing, and on any other node
   */
  public Optional<String> lost(final PartReader parts) throws IOException {
    if (!isFirst() || entry.previous() == 0) {
      return Optional.empty();
    }
    final String before = log.beginAt(entry.previous()).node();
    final long last = parts.last(entry.previous(), before);
    return last < begin
        ? Optional.empty()
        : Optional.of(
            "the log %s/%s ended before entry %d, and node %s had read it up to %d: what those entries committed counts no more, and this run deletes the rest of it"
                .formatted(engine, SeriesLog.FOLDER, begin, before, last));
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
