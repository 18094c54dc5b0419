package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.sluice.core.store.model.RankSet;
import org.sluice.core.store.series.SeriesRun;
import org.sluice.iop.publish.CommitPolling;
import org.sluice.iop.publish.SeriesCommits;

/**
 * What a checkpoint of many nodes costs the storage, and how long after the last part it is
 * committed: the classes that run, {@link SeriesRun} and {@link CommitPolling}, on simulated nodes,
 * time and storage. {@code scripts/bench series} runs it.
 */
final class SeriesScale {
  static final ScaleEngine.Storage OBJECTS =
      new ScaleEngine.Storage(
          "objects", TimeUnit.MILLISECONDS.toNanos(10), TimeUnit.MICROSECONDS.toNanos(200), false);
  static final ScaleEngine.Storage DIRECTORY =
      new ScaleEngine.Storage(
          "directory", TimeUnit.MILLISECONDS.toNanos(1), TimeUnit.MICROSECONDS.toNanos(200), true);

  /** Each node would read entries that name all: of a large job so many do. */
  private static final int REAL = 20;

  private static final int RANKS = 64;
  private static final double SECOND = TimeUnit.SECONDS.toNanos(1);

  private final int nodes;
  private final int ranks;
  private final int checkpoints;
  private final double spread;
  private final boolean awaited;
  private final int real;
  private final ScaleEngine.Storage storage;
  private final VirtualTime time = new VirtualTime();
  private final ScaleEngine.Server server;
  private final Random random = new Random(1);
  private final long[] lastPart;
  private final long[] firstTold;
  private final long[] lastTold;
  private final long[] looks;
  private final long[] removals;

  /**
   * A job.
   *
   * @param nodes each with some ranks
   * @param ranks of each node
   * @param checkpoints one a minute
   * @param spread within how many seconds nodes put their parts
   * @param awaited whether a process waits on each node
   * @param real how many nodes do all that a node does; the others send the same requests
   */
  SeriesScale(
      final ScaleEngine.Storage storage,
      final int nodes,
      final int ranks,
      final int checkpoints,
      final double spread,
      final boolean awaited,
      final int real) {
    this.storage = storage;
    this.nodes = nodes;
    this.ranks = ranks;
    this.checkpoints = checkpoints;
    this.spread = spread;
    this.awaited = awaited;
    this.real = real;
    this.server = new ScaleEngine.Server(time, storage);
    this.lastPart = new long[checkpoints];
    this.firstTold = new long[checkpoints];
    this.lastTold = new long[checkpoints];
    this.looks = new long[checkpoints];
    this.removals = new long[checkpoints];
    Arrays.fill(firstTold, Long.MAX_VALUE);
  }

  /** Lets it happen. */
  SeriesScale run() {
    for (int node = 0; node < nodes; node++) {
      final int one = node;
      time.start(() -> live(one));
    }
    time.run();
    return this;
  }

  private void live(final int node) throws IOException {
    final ScaleEngine engine = new ScaleEngine(server, storage);
    final String name = "node%05d".formatted(node);
    final RankSet mine = RankSet.of(IntStream.range(node * ranks, (node + 1) * ranks));
    final ScaleNode run =
        node % Math.max(1, nodes / real) == 0
            ? ScaleNode.real(SeriesRun.join(engine, "job", name))
            : ScaleNode.light(engine, name);
    final CommitPolling.Wait wait = new CommitPolling.Wait();
    for (int i = 0; i < checkpoints; i++) {
      time.sleepUntil((long) (((i + 1) * 60 + spread * random.nextDouble()) * SECOND));
      run.put(i, mine);
      lastPart[i] = Math.max(lastPart[i], time.now());
      final long put = engine.requests();
      await(run, i, new CommitPolling(node == 0, nodes, wait, time.now()));
      firstTold[i] = Math.min(firstTold[i], time.now());
      lastTold[i] = Math.max(lastTold[i], time.now());
      looks[i] += engine.requests() - put;
      final long told = engine.requests();
      if (i >= 2) {
        run.remove(i - 2);
      }
      removals[i] += engine.requests() - told;
    }
  }

  /** As {@link SeriesCommits} does. */
  private void await(final ScaleNode run, final int number, final CommitPolling looks)
      throws IOException {
    if (awaited) {
      looks.hurry(time.now());
    }
    while (true) {
      time.sleepUntil(looks.due());
      if (looks.isAtParts()
          ? run.commit(number, nodes * ranks)
          : run.isCommitted(number, nodes * ranks)) {
        looks.found(time.now());
        return;
      }
      looks.inVain(time.now(), false);
    }
  }

  /** From the last part to the first node that is told, in seconds, at most. */
  double commit(final int from) {
    return IntStream.range(from, checkpoints)
        .mapToDouble(i -> (firstTold[i] - lastPart[i]) / SECOND)
        .max()
        .orElseThrow();
  }

  /** From the last part to the last node that is told, in seconds, at most. */
  double told(final int from) {
    return IntStream.range(from, checkpoints)
        .mapToDouble(i -> (lastTold[i] - lastPart[i]) / SECOND)
        .max()
        .orElseThrow();
  }

  /** Requests for a node's commit of a checkpoint, beside its part. */
  double requests(final int from, final int to) {
    return Arrays.stream(looks, from, to).sum() / (double) nodes / (to - from);
  }

  /** Those to let an older one go. */
  double removals() {
    return Arrays.stream(removals, 2, checkpoints).sum() / (double) nodes / (checkpoints - 2);
  }

  /**
   * Prints a table.
   *
   * @param arguments numbers of nodes
   */
  public static void main(final String[] arguments) {
    System.out.printf(
        "%-10s %6s %7s %7s | %-22s | %-34s | %s%n",
        "storage",
        "nodes",
        "spread",
        "waits",
        "s after the last part",
        "requests a node and checkpoint",
        "removal");
    System.out.printf(
        "%-10s %6s %7s %7s | %10s %11s | %10s %11s %11s |%n",
        "", "", "s", "", "committed", "all told", "the first", "2nd to 5th", "later ones");
    for (final ScaleEngine.Storage storage : List.of(OBJECTS, DIRECTORY)) {
      for (final String argument : arguments) {
        final int nodes = Integer.parseInt(argument);
        final int checkpoints = nodes > 1000 ? 12 : 30;
        row(new SeriesScale(storage, nodes, RANKS, checkpoints, 0.1, false, REAL).run());
        row(new SeriesScale(storage, nodes, RANKS, checkpoints, 10, false, REAL).run());
        row(new SeriesScale(storage, nodes, RANKS, checkpoints, 10, true, REAL).run());
      }
    }
  }

  private static void row(final SeriesScale one) {
    System.out.printf(
        Locale.ROOT,
        "%-10s %6d %7.1f %7s | %10.2f %11.1f | %10.2f %11.2f %11.2f | %.2f%n",
        one.storage.name(),
        one.nodes,
        one.spread,
        one.awaited ? "yes" : "no",
        one.commit(0),
        one.told(0),
        one.requests(0, 1),
        one.requests(1, 5),
        one.requests(5, one.checkpoints),
        one.removals());
  }
}
