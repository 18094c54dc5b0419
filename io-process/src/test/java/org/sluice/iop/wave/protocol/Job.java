package org.sluice.iop.wave.protocol;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * A job under a protocol, from its first start to its end. It is killed now and then, and begins
 * again with what was committed. Then what its ranks remember must be legal, and what they computed
 * that of a job without checkpoints, where that is one thing.
 */
abstract class Job {
  private static final int STUCK = 30_000;

  final Random random;
  final Rule leftOut;
  final Script script;
  final int ranks;
  final List<Program> programs = new ArrayList<>();
  Mpi mpi;
  int waves;
  int givenUp;
  int recoveries;
  private int kills;
  private final List<Deque<Runnable>> down = new ArrayList<>();
  private final List<Deque<Runnable>> up = new ArrayList<>();
  private final double[] speeds;
  private final double[] control;
  private final double danger;

  /** Of so many commits one makes a kill likely. */
  private final int spared;

  private long now;
  private long moved;

  Job(final long seed, final Rule leftOut) {
    this.script = new Script(new Random(seed));
    this.random = new Random(~seed);
    this.leftOut = leftOut;
    this.ranks = script.ranks;
    this.speeds = random.doubles(ranks, .05, 1).toArray();
    this.control = random.doubles(ranks, 0, 1).map(x -> .01 + x * x * x).toArray();
    this.danger = random.nextInt(5) == 0 ? 0 : .002 + random.nextDouble() * .01;
    this.spared = 1 + random.nextInt(4);
    for (int rank = 0; rank < ranks; rank++) {
      down.add(new ArrayDeque<>());
      up.add(new ArrayDeque<>());
    }
  }

  /** Begins with what was committed last, or at the beginning. */
  abstract void start();

  abstract Layer layer(int rank);

  /** Lets the protocol go on within a call of a rank. */
  abstract void progress(int rank);

  /** Lets the coordinator go on. */
  abstract void coordinate(long time);

  /** Whether a rank is held up at a spot. */
  boolean isHeld(final int rank) {
    return false;
  }

  /** How likely a kill is now, compared with other times. */
  abstract double weight();

  /** Whether a kill is likely behind this commit. Before it others add up what they count from. */
  final boolean makesKillLikely() {
    return random.nextInt(spared) == 0;
  }

  final void toRank(final int rank, final Runnable message) {
    down.get(rank).add(message);
  }

  final void toAll(final IntConsumer message) {
    IntStream.range(0, ranks).forEach(rank -> toRank(rank, () -> message.accept(rank)));
  }

  final void toCoordinator(final int rank, final Runnable message) {
    up.get(rank).add(message);
  }

  /** Waves committed and given up, recoveries from one; what was late, early, straddling. */
  abstract long[] counts();

  /** Lets it happen. Returns what the ranks computed. */
  final List<Long> run() {
    restart();
    while (!programs.stream().allMatch(Program::hasEnded)) {
      now++;
      tick(random.nextInt(ranks));
      if (kills < 6 && random.nextDouble() < danger * weight()) {
        kills++;
        recoveries += waves > 0 ? 1 : 0;
        restart();
      }
      if (now - moved > STUCK) {
        throw new Broken("the job hangs");
      }
    }
    new Legality(programs, script.members).check();
    return programs.stream().map(Program::hash).toList();
  }

  private void restart() {
    down.forEach(Deque::clear);
    up.forEach(Deque::clear);
    programs.clear();
    mpi = new Mpi(random, script.members, ranks);
    start();
    moved = now;
  }

  private void tick(final int rank) {
    if (random.nextDouble() < control[rank] && !down.get(rank).isEmpty()) {
      down.get(rank).remove().run();
    }
    if (random.nextDouble() < speeds[rank]) {
      progress(rank);
      final Program program = programs.get(rank);
      if (!isHeld(rank) && !program.hasEnded() && program.step(layer(rank))) {
        moved = now;
      }
    }
    mpi.advance();
    final int sender = random.nextInt(ranks);
    final Deque<Runnable> messages = up.get(sender);
    if (random.nextDouble() < control[sender] && !messages.isEmpty()) {
      messages.remove().run();
    }
    coordinate(now);
  }
}
