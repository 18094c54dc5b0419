package org.sluice.core.store.series;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;

/**
 * Processes of which one runs at a time, each up to its next request. Which one goes on, and which
 * one is killed, a seed decides. So a history is the same at each repetition.
 */
final class Interleaving {
  private final Random random;
  private final List<Process> processes = new ArrayList<>();
  private final Semaphore back = new Semaphore(0);

  /** What a process does. */
  @FunctionalInterface
  interface Program {
    void run(Process self) throws Exception;
  }

  /** What ends a process that was killed. No program catches it. */
  static final class Killed extends Error {
    private static final long serialVersionUID = 1L;

    Killed() {
      super(null, null, false, false);
    }
  }

  /** One process. */
  final class Process {
    private final Semaphore turn = new Semaphore(0);
    private boolean killed;
    private boolean ended;
    private Throwable failure;

    private Process(final Program program) {
      Thread.ofVirtual()
          .start(
              () -> {
                turn.acquireUninterruptibly();
                try {
                  if (!killed) {
                    program.run(this);
                  }
                } catch (final Killed e) {
                  // as was asked for
                } catch (final Throwable e) {
                  failure = e;
                }
                ended = true;
                back.release();
              });
    }

    /** Lets others run before this one's next request. */
    void step() {
      back.release();
      turn.acquireUninterruptibly();
      if (killed) {
        throw new Killed();
      }
    }

    private void goOn() {
      turn.release();
      back.acquireUninterruptibly();
      if (failure instanceof final SeriesCheck.Broken broken) {
        throw broken;
      }
      if (failure != null) {
        throw new IllegalStateException("a process fell over", failure);
      }
    }
  }

  Interleaving(final Random random) {
    this.random = random;
  }

  void start(final Program program) {
    processes.add(new Process(program));
  }

  /** Runs processes up to some requests, or to their ends. Looks at the world after each. */
  void run(final int steps, final double deaths, final Runnable look) {
    for (int i = 0; i < steps && !processes.isEmpty(); i++) {
      final Process process = processes.get(random.nextInt(processes.size()));
      process.killed |= random.nextDouble() < deaths;
      process.goOn();
      if (process.ended) {
        processes.remove(process);
      }
      look.run();
    }
  }

  /** Kills some of them. */
  void kill(final double share) {
    for (final Process process : List.copyOf(processes)) {
      if (random.nextDouble() < share) {
        process.killed = true;
        process.goOn();
        processes.remove(process);
      }
    }
  }
}
