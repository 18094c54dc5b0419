package org.sluice.iop.drain;

import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.sluice.iop.crash.FailStop;

/**
 * The threads that carry work through the stages of the {@link Pipeline}. A single thread carries
 * it all the way while there is little of it. A further one comes when a stage has work and no
 * thread. While there is nothing to do they are parked: cores belong to the application. The first
 * of the parked ones is woken, so that the others mostly sleep on.
 *
 * <p>No wake-up is lost. A thread that has work for a stage fences, and looks who is parked. A
 * thread says that it is parked, fences, and looks for work: one of the two sees the other. An
 * unpark before the park makes the park return at once.
 */
final class StageThreads {
  private final List<Stage> stages;
  private final Pace pace;
  private final List<Carrier> carriers;
  private volatile boolean ended;

  /** Starts the threads, one for each stage, so that none waits for another stage's work. */
  StageThreads(final List<Stage> stages, final Pace pace) {
    this.stages = stages;
    this.pace = pace;
    this.carriers = Stream.generate(Carrier::new).limit(stages.size()).toList();
    carriers.forEach(carrier -> carrier.thread.start());
  }

  private final class Carrier implements Runnable {
    private final Thread thread = Thread.ofPlatform().daemon().name("drain").unstarted(this);
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private volatile boolean parked;

    @Override
    public void run() {
      try {
        pace.join();
        while (!ended) {
          stages.forEach(Stage::run);
          park();
        }
        over.complete(null);
      } catch (final Throwable failure) { // a pipeline without a stage would take work for nothing
        FailStop.now(failure);
      }
    }

    private void park() {
      parked = true;
      VarHandle.fullFence();
      while (!ended && !isOneNeeded()) {
        LockSupport.park(this);
      }
      parked = false;
    }
  }

  private boolean isOneNeeded() {
    for (final Stage stage : stages) {
      if (stage.needsThread()) {
        return true;
      }
    }
    return false;
  }

  /** Wakes a thread if there is a stage that has work, and no thread. Any thread. */
  void wake() {
    VarHandle.fullFence();
    if (isOneNeeded()) {
      for (final Carrier carrier : carriers) {
        if (carrier.parked) {
          LockSupport.unpark(carrier.thread);
          return;
        }
      }
    }
  }

  /** Ends the threads, and waits for them. All work must be done. */
  void end() {
    ended = true;
    carriers.forEach(carrier -> LockSupport.unpark(carrier.thread));
    carriers.forEach(carrier -> carrier.over.join());
  }
}
