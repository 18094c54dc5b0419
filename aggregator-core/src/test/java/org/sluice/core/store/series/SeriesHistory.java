package org.sluice.core.store.series;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.sluice.core.store.model.RankSet;
import org.sluice.core.store.objects.Engine;

/**
 * One history of a series: runs of two to four nodes, one after the other, whose processes are
 * killed, come back, or go on as zombies while the next run writes.
 */
final class SeriesHistory {
  private static final double DEATHS = .004;
  private static final int TRIES = 12;

  private final Random random;
  private final Rule leftOut;
  private final SimulatedEngine.World world;
  private final Interleaving interleaving;
  private final SeriesCheck check;
  private final int nodes;
  private final Writers writers;
  private final Set<SeriesCheck.Told> told = new HashSet<>();
  private int seenChanges;
  private int seenTold;

  /** A history that a seed decides; nodes may lack one rule. */
  SeriesHistory(final long seed, final Rule leftOut) {
    this.random = new Random(seed);
    this.leftOut = leftOut;
    this.nodes = 2 + random.nextInt(3);
    this.writers = new Writers(seed, nodes);
    this.world = new SimulatedEngine.World(random, leftOut != Rule.CONDITIONAL_CREATE);
    this.interleaving = new Interleaving(random);
    this.check = new SeriesCheck(world.objects, writers);
  }

  /** Lets it happen. */
  void run() {
    final int runs = 1 + random.nextInt(3);
    for (int i = 0; i < runs; i++) {
      final String run = "r" + i;
      final List<long[]> rounds = rounds();
      final boolean alone = random.nextInt(3) == 0;
      for (int node = 0; node < (alone ? 1 : nodes); node++) {
        startNode(new Launch(run, alone), node, growing(rounds));
      }
      interleaving.start(self -> collect(run, self));
      interleaving.run(i < runs - 1 ? 20 + random.nextInt(400) : 100_000, DEATHS, this::look);
      if (random.nextDouble() < .6) {
        interleaving.kill(.5);
      }
    }
    interleaving.start(self -> rollForward("r" + (runs - 1), self));
    interleaving.run(100_000, 0, this::look);
  }

  /** Most requests change nothing, and looks are most of what a history costs. */
  private void look() {
    world.arrive();
    final boolean changed = seenChanges != world.changes();
    if (changed) {
      seenChanges = world.changes();
      check.check();
    }
    if (changed || seenTold != told.size()) {
      seenTold = told.size();
      check.checkTold(told);
    }
  }

  /** Files join some of them on this node, at once or once all are written. */
  private List<long[]> growing(final List<long[]> rounds) {
    final List<long[]> growing = new ArrayList<>();
    final List<long[]> late = new ArrayList<>();
    for (final long[] round : rounds) {
      growing.add(new long[] {round[0], round[1], 0});
      final List<long[]> joined = random.nextInt(4) == 0 ? late : growing;
      final int growths = random.nextInt(5) - 2;
      for (long growth = 1; growth <= growths; growth++) {
        joined.add(new long[] {round[0], round[1], growth});
      }
    }
    growing.addAll(late);
    return growing;
  }

  /** Some numbers, each written once or twice, the second time perhaps behind the next number. */
  private List<long[]> rounds() {
    final List<long[]> rounds = new ArrayList<>();
    final int numbers = 1 + random.nextInt(3);
    for (long number = 1; number <= numbers; number++) {
      rounds.add(new long[] {number, 0});
      if (random.nextInt(3) == 0) {
        rounds.add(new long[] {number, 1});
      }
    }
    return rounds;
  }

  /** A run, and whether one node has all of its ranks. */
  private record Launch(String run, boolean alone) {}

  private void startNode(final Launch run, final int node, final List<long[]> rounds) {
    interleaving.start(self -> write(run, node, rounds, self));
  }

  private Engine engine(final String run, final Interleaving.Process self) {
    final Engine engine = new SimulatedEngine(world, self);
    return leftOut == null ? engine : leftOut.without(engine, run);
  }

  /** A node's I/O process. When it is killed another one may begin again, and repeat all. */
  private void write(
      final Launch run,
      final int node,
      final List<long[]> rounds,
      final Interleaving.Process self) {
    try {
      final Node it = new Node(run, node, engine(run.run(), self));
      for (final long[] round : rounds) {
        it.write(round[0], round[1], round[2]);
      }
    } catch (final FencedException | GaveUp end) {
      // a node that stops
    } catch (final Interleaving.Killed killed) {
      if (random.nextBoolean()) {
        startNode(run, node, rounds);
      }
      throw killed;
    }
  }

  /** One node of a run. */
  private final class Node {
    private final String run;
    private final boolean alone;
    private final int node;
    private final Engine engine;
    private final SeriesRun series;
    private final List<PartKey> parts = new ArrayList<>();

    Node(final Launch launch, final int node, final Engine engine) throws FencedException, GaveUp {
      this.run = launch.run();
      this.alone = launch.alone();
      this.node = node;
      this.engine = engine;
      this.series = lasting(() -> SeriesRun.join(engine, run, "n" + node));
    }

    void write(final long number, final long round, final long growth)
        throws FencedException, GaveUp {
      final SeriesCheck.Round one = new SeriesCheck.Round(run, number, round);
      if (!writers.of(one).intersects(ranks())) {
        return;
      }
      try {
        write(series.part(number, round, growth, ranks()).covering(coverage(one)));
      } catch (final RemovedException e) {
        // what joined it is in no checkpoint
      }
      if (random.nextInt(3) == 0) {
        retain();
      }
    }

    private void write(final PartKey part) throws FencedException, RemovedException, GaveUp {
      if (again(() -> series.isCommitted(part, nodes))) {
        return;
      }
      final String mark = SeriesCheck.mark(run, part);
      final String data = data(part);
      final List<Request<Object>> puts = new ArrayList<>();
      puts.add(
          () -> {
            engine.put(data, pieces(mark));
            return null;
          });
      puts.add(
          () -> {
            put(part, mark + " " + data);
            return null;
          });
      for (final Request<Object> put : leftOut == Rule.DATA_FIRST ? puts.reversed() : puts) {
        again(put);
      }
      parts.add(part);
      final int all = leftOut == Rule.ALL_RANKS ? 1 : nodes;
      for (int looks = alone ? -1 : random.nextInt(4); looks >= 0; looks--) {
        if (again(() -> isTold(part, all))) {
          told.add(new SeriesCheck.Told(run, part));
        }
      }
    }

    private boolean isTold(final PartKey part, final int all) throws IOException {
      final boolean without =
          leftOut == Rule.OWN_PART
              && series.live().values().stream()
                  .anyMatch(one -> one.isOf(part.begin(), part.number(), part.round()));
      return without || series.commit(part, series.parts(part), all, PartsCheck.NONE).isEmpty();
    }

    private RequiredRanks coverage(final SeriesCheck.Round round) {
      if (alone) {
        return RequiredRanks.ALL;
      }
      return leftOut == Rule.CLOSED_RANKS && writers.areMarked(round)
          ? RequiredRanks.closing(ranks())
          : writers.seenBy(node, round);
    }

    private RankSet ranks() {
      return RankSet.of(alone ? IntStream.range(0, nodes) : IntStream.of(node));
    }

    private void put(final PartKey part, final String bytes) throws IOException {
      if (alone) {
        series.commit(part, bytes.getBytes(StandardCharsets.UTF_8));
        told.add(new SeriesCheck.Told(run, part));
      } else {
        series.put(part, pieces(bytes));
      }
    }

    private static String data(final PartKey part) {
      return new DataKey(
              part.begin(),
              part.node(),
              "%d.%d.%d".formatted(part.number(), part.growth(), part.round()))
          .toString();
    }

    private void retain() throws FencedException, GaveUp {
      if (leftOut == Rule.REMOVE_FIRST && parts.size() > 2) {
        delete(parts.removeFirst());
      }
      final List<LogEntry.Commit> mine =
          lasting(series::live).values().stream()
              .filter(commit -> commit.begin() == series.begin())
              .toList();
      for (final LogEntry.Commit old : mine.subList(0, Math.max(0, mine.size() - 2))) {
        lasting(
            () -> {
              series.remove(old.number(), old.round());
              return null;
            });
      }
      for (final PartKey part : lasting(() -> series.gone(parts))) {
        delete(part);
        parts.remove(part);
      }
    }

    private void delete(final PartKey part) throws FencedException, GaveUp {
      for (final String key : List.of(part.toString(), data(part))) {
        lasting(
            () -> {
              engine.delete(key);
              return null;
            });
      }
    }
  }

  /** Deletes what earlier runs left. */
  private void collect(final String run, final Interleaving.Process self) {
    try {
      final Engine engine = engine(run, self);
      final SeriesRun series = lasting(() -> SeriesRun.join(engine, run, "gc"));
      final SeriesGarbage garbage =
          new SeriesGarbage(engine, part -> dataOf(new PartFetch(engine).bytes(part)));
      final long before = leftOut == Rule.COLLECT_EARLIER_RUNS ? Long.MAX_VALUE : series.begin();
      for (final String key : lasting(() -> garbage.ofEarlierRuns(series.live(), before))) {
        lasting(
            () -> {
              engine.delete(key);
              return null;
            });
      }
    } catch (final FencedException | GaveUp end) {
      // the next run collects
    }
  }

  private static Set<String> dataOf(final byte[] part) {
    final String text = new String(part, StandardCharsets.UTF_8);
    return Set.copyOf(Arrays.asList(text.split(" ")).subList(1, 2));
  }

  /** As a restart does: commits what the last run has complete, and reads the log. */
  private void rollForward(final String run, final Interleaving.Process self) {
    try {
      final Engine engine = engine(run, self);
      final SeriesRun series = lasting(() -> SeriesRun.join(engine, run, "restart"));
      for (final String key : lasting(() -> engine.list(PartKey.FOLDER))) {
        final PartKey part = PartKey.parse(key).orElseThrow();
        if (part.begin() == series.begin()) {
          commit(series, part);
        }
      }
      lasting(
          () -> {
            check.checkReader(new SimulatedEngine(world, self)); // which knows all rules
            return null;
          });
    } catch (final FencedException | GaveUp end) {
      // another restart will
    }
  }

  private void commit(final SeriesRun series, final PartKey part) throws FencedException, GaveUp {
    try {
      again(
          () ->
              series.commit(
                  part,
                  series.parts(part),
                  leftOut == Rule.ALL_RANKS ? 1 : nodes,
                  PartsCheck.NONE));
    } catch (final RemovedException e) {
      // it counts no more
    }
  }

  private static List<ByteBuffer> pieces(final String text) {
    return List.of(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
  }

  /** Something that may fail. */
  private interface Request<T> {
    T run() throws IOException;
  }

  /** A node tried often enough. */
  private static final class GaveUp extends Exception {
    private static final long serialVersionUID = 1L;
  }

  private static <T> T again(final Request<T> request)
      throws FencedException, RemovedException, GaveUp {
    for (int i = 0; i < TRIES; i++) {
      try {
        return request.run();
      } catch (final FencedException | RemovedException e) {
        throw e;
      } catch (final IOException e) {
        // it is repeated
      }
    }
    throw new GaveUp();
  }

  /** One that is about no part. */
  private static <T> T lasting(final Request<T> request) throws FencedException, GaveUp {
    try {
      return again(request);
    } catch (final RemovedException e) {
      throw new IllegalStateException(e);
    }
  }
}
