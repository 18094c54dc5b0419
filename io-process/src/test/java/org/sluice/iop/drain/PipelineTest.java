package org.sluice.iop.drain;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.process.NativeThread;
import org.sluice.iop.crash.InFlight;
import org.sluice.iop.crash.Lane;
import org.sluice.iop.crash.Subject;

/** What becomes of work at which storage fails. */
class PipelineTest {
  @TempDir private Path root;
  private final List<String> done = new CopyOnWriteArrayList<>();

  private final class Failing implements Work {
    private final String stage;

    Failing(final String stage) {
      this.stage = stage;
    }

    private void step(final String name) throws IOException {
      done.add(name);
      if (name.equals(stage)) {
        throw new IOException(name);
      }
    }

    @Override
    public void validate() throws IOException {
      step("validate");
    }

    @Override
    public void write() throws IOException {
      step("write");
    }

    @Override
    public void commit() throws IOException {
      step("commit");
    }

    @Override
    public void fail(final IOException failure) {
      done.add("fail " + failure.getMessage());
    }
  }

  private final class Chunk implements Work {
    @Override
    public void validate() {
      done.add("left out");
    }

    @Override
    public void write() {
      done.add("given back");
    }

    @Override
    public Subject subject() {
      return Subject.CHUNK;
    }

    @Override
    public void fail(final IOException failure) {
      done.add("fail");
    }
  }

  /** Its first step leaves out of it what is to be left out, and its second gives it back. */
  @Test
  void aChunkAtWhichTwoInARowFailedTakesAllSteps() throws IOException {
    for (final Lane.Role role : List.of(Lane.Role.VALIDATE, Lane.Role.WRITE)) {
      for (int death = 0; death < 2; death++) {
        try (InFlight inFlight = InFlight.open(root.resolve("inflight"), 1)) {
          inFlight.lane(role).begin(Subject.CHUNK, 0, 3, Lane.NO_IMAGE);
          inFlight.failed(role.thread());
        }
      }
    }
    try (InFlight inFlight = InFlight.open(root.resolve("inflight"), 1);
        Pipeline pipeline = new Pipeline(8, more -> {}, inFlight, new Pace())) {
      assertThat(inFlight.poisoned(0)).contains(Lane.NO_IMAGE);
      pipeline.publish(new Chunk());
    }
    assertThat(done).containsExactly("left out", "given back");
  }

  private class Plain implements Work {
    private final String name;

    Plain(final String name) {
      this.name = name;
    }

    @Override
    public void validate() {
      done.add("validated " + name);
    }

    @Override
    public void write() {
      done.add("wrote " + name);
    }

    @Override
    public boolean commits() {
      return false;
    }
  }

  private boolean isDone(final String step) {
    final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!done.contains(step) && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    return done.contains(step);
  }

  /**
   * While a write is under way the next one is prepared, as soon as there is something to write.
   */
  @Test
  void theWriteStageWaitsForItsWritesOnlyUntilThereIsMoreToDo() throws IOException {
    final WriteBatch writes =
        more -> {
          if (done.contains("wrote second")) {
            done.add("all are written");
          } else {
            done.add("one is written, more to do: " + more.getAsBoolean());
            final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (!more.getAsBoolean() && System.nanoTime() < end) {
              Thread.onSpinWait();
            }
          }
        };
    try (InFlight inFlight = InFlight.open(root.resolve("inflight"), 1);
        Pipeline pipeline = new Pipeline(8, writes, inFlight, new Pace())) {
      pipeline.publish(new Plain("first"));
      assertThat(isDone("one is written, more to do: false")).isTrue();
      pipeline.publish(new Plain("second"));
      assertThat(isDone("all are written")).isTrue();
    }
  }

  /** Ranks open and close files all the time between their chunks. */
  @Test
  void whatOnlyTheFirstStageDoesWaitsForNoWrite() throws IOException {
    final WriteBatch writes =
        more -> {
          if (!done.contains("wrote second")) {
            done.add("one is under way");
            final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (!more.getAsBoolean()) {
              if (System.nanoTime() > end) {
                done.add("waited in vain");
                return;
              }
              Thread.onSpinWait();
            }
          }
        };
    try (InFlight inFlight = InFlight.open(root.resolve("inflight"), 1);
        Pipeline pipeline = new Pipeline(8, writes, inFlight, new Pace())) {
      pipeline.publish(new Plain("first"));
      assertThat(isDone("one is under way")).isTrue();
      pipeline.publish(new StepWork(Lane.Role.VALIDATE, () -> done.add("opened")));
      pipeline.publish(new Plain("second"));
      assertThat(isDone("wrote second")).isTrue();
    }
    assertThat(done).contains("opened").doesNotContain("waited in vain");
  }

  /** What a write stage gathers: here only whether work waits for it. */
  private final class Gathered implements WriteBatch {
    private boolean holding;

    @Override
    public void flush(final BooleanSupplier more) {
      if (holding) {
        done.add("flushed");
        holding = false;
      }
    }

    @Override
    public boolean takesOthers() {
      return true;
    }

    @Override
    public boolean isHolding() {
      return holding;
    }
  }

  private Work joining(final Gathered gathered) {
    return new Work() {
      @Override
      public void write() {
        gathered.holding = true;
        done.add("joined");
      }

      @Override
      public boolean joins() {
        return true;
      }

      @Override
      public void commit() {
        done.add("committed");
      }
    };
  }

  /** A chunk at which the write stage waits until something is done, or should have been. */
  private Work waiting(final String step, final long millis) {
    return new Plain("waiting") {
      @Override
      public void validate() {}

      @Override
      public void write() {
        final long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (!done.contains(step) && System.nanoTime() < end) {
          Thread.onSpinWait();
        }
      }
    };
  }

  /** What joins chunks that are not written yet needs no flush, and is not committed before it. */
  @Test
  void whatJoinsIsCommittedBehindWhatWasGathered() throws IOException {
    final Gathered gathered = new Gathered();
    try (InFlight inFlight = InFlight.open(root.resolve("inflight"), 1);
        Pipeline pipeline = new Pipeline(8, gathered, inFlight, new Pace())) {
      pipeline.publish(waiting("all are published", 60_000));
      pipeline.publish(joining(gathered));
      pipeline.publish(waiting("committed", 300));
      done.add("all are published");
      assertThat(isDone("committed")).isTrue();
    }
    assertThat(done).containsExactly("all are published", "joined", "flushed", "committed");
  }

  /** How often a thread has gone to sleep. */
  private static long sleeps(final long thread) throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/task/" + thread + "/status"))) {
      return lines
          .filter(line -> line.startsWith("voluntary_ctxt_switches"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
          .sum();
    }
  }

  /** A work that notes which thread takes each of its steps. */
  private final class Noting implements Work {
    private final List<Long> threads = new ArrayList<>();
    private final String name;

    Noting(final String name) {
      this.name = name;
    }

    private void note() {
      threads.add(NativeThread.current().id());
    }

    @Override
    public void validate() {
      note();
    }

    @Override
    public void write() {
      note();
    }

    @Override
    public void commit() {
      note();
      done.add(name);
    }
  }

  /** Each hand-off would wait for a time slice of a core that the application computes on. */
  @Test
  void aCommitIsHandedOverOnceWhileThereIsNothingElse() throws IOException {
    try (InFlight inFlight = InFlight.open(root.resolve("inflight"), 1);
        Pipeline pipeline = new Pipeline(64, more -> {}, inFlight, new Pace())) {
      final Noting first = new Noting("first");
      pipeline.publish(first);
      assertThat(isDone("first")).isTrue();
      final long thread = first.threads.getLast();
      final long sleeps = sleeps(thread);
      final int commits = 20; // fewer works than those after which another thread comes anyway
      for (int i = 0; i < commits; i++) {
        final Noting next = new Noting("commit " + i);
        pipeline.publish(waiting("published " + i, 60_000)); // the thread is at work by then
        pipeline.publish(new Plain("chunk"));
        pipeline.publish(next);
        done.add("published " + i);
        assertThat(isDone("commit " + i)).isTrue();
        assertThat(next.threads).hasSize(3).containsOnly(next.threads.getFirst());
      }
      assertThat(sleeps(thread) - sleeps).isLessThan(2 * commits + 5);
    }
  }

  @Test
  void aSecondThreadWritesWhileTheFirstWaitsForStorage() throws IOException {
    try (InFlight inFlight = InFlight.open(root.resolve("inflight"), 1);
        Pipeline pipeline = new Pipeline(64, more -> {}, inFlight, new Pace())) {
      pipeline.publish(
          new StepWork(
              Lane.Role.COMMIT,
              () -> {
                done.add("waits for storage");
                done.add(isDone("wrote behind it") ? "a chunk was written" : "in vain");
              }));
      assertThat(isDone("waits for storage")).isTrue();
      pipeline.publish(new Plain("behind it"));
      assertThat(isDone("a chunk was written")).isTrue();
    }
  }

  @Test
  void aSecondThreadCommitsWhileTheFirstHasMoreToWrite() throws IOException {
    try (InFlight inFlight = InFlight.open(root.resolve("inflight"), 1);
        Pipeline pipeline = new Pipeline(64, more -> {}, inFlight, new Pace())) {
      pipeline.publish(waiting("all are published", 60_000));
      pipeline.publish(new Noting("committed"));
      pipeline.publish(waiting("committed", 60_000));
      pipeline.publish(new Plain("last"));
      done.add("all are published");
      assertThat(isDone("wrote last")).isTrue();
    }
    assertThat(done).containsSubsequence("all are published", "committed", "wrote last");
  }

  private Work overtaking(final String name, final long millis) {
    return new Work() {
      @Override
      public void commit() {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
        done.add(name);
      }

      @Override
      public boolean overtakes() {
        return true;
      }
    };
  }

  /** Watchers are told of closes while nothing else is to be done, but before a file goes. */
  @Test
  void aCheckpointComesBeforeWorkThatWaits() throws IOException {
    try (InFlight inFlight = InFlight.open(root.resolve("inflight"), 1);
        Pipeline pipeline = new Pipeline(16, more -> {}, inFlight, new Pace())) {
      pipeline.publish(
          new StepWork(Lane.Role.COMMIT, () -> done.add("begun: " + isDone("all are passed"))));
      pipeline.publish(new SpareWork(() -> done.add("told of a close")));
      pipeline.publish(new SpareWork(() -> done.add("told of another")));
      pipeline.publish(new StepWork(Lane.Role.VALIDATE, () -> {}));
      pipeline.publish(overtaking("checkpoint", 0));
      pipeline.publish(new StepWork(Lane.Role.COMMIT, () -> done.add("let go")));
      pipeline.publish(new SpareWork(() -> done.add("told of the last")));
      pipeline.publish(new StepWork(Lane.Role.WRITE, () -> done.add("all are passed")));
    }
    assertThat(done)
        .containsExactly(
            "all are passed",
            "begun: true",
            "checkpoint",
            "told of a close",
            "told of another",
            "let go",
            "told of the last");
  }

  /** Else a watcher would hear of a close only when ranks that synchronise in turn are done. */
  @Test
  void workThatWaitsIsOvertakenForAWhileOnly() throws IOException {
    try (InFlight inFlight = InFlight.open(root.resolve("inflight"), 1);
        Pipeline pipeline = new Pipeline(64, more -> {}, inFlight, new Pace())) {
      pipeline.publish(
          new StepWork(Lane.Role.COMMIT, () -> done.add("begun: " + isDone("all are passed"))));
      pipeline.publish(new SpareWork(() -> done.add("told of a close")));
      for (int i = 1; i <= 20; i++) {
        pipeline.publish(overtaking("sync " + i, 50));
      }
      pipeline.publish(new StepWork(Lane.Role.WRITE, () -> done.add("all are passed")));
    }
    assertThat(done).containsSubsequence("sync 1", "told of a close", "sync 20");
  }

  /** Bursts and pauses in which threads just go to sleep, or just wake up. */
  @Test
  void noWorkIsLeftBehindBetweenTwoThreads() throws IOException {
    final Random random = new Random(7);
    final AtomicLong committed = new AtomicLong();
    long published = 0;
    try (InFlight inFlight = InFlight.open(root.resolve("inflight"), 1);
        Pipeline pipeline = new Pipeline(16, more -> {}, inFlight, new Pace())) {
      for (int burst = 0; burst < 3000; burst++) {
        for (int i = random.nextInt(40); i >= 0; i--) {
          final long expected = published++;
          pipeline.publish(
              new StepWork(
                  Lane.Role.COMMIT,
                  () -> assertThat(committed.getAndIncrement()).isEqualTo(expected)));
          pause(random.nextInt(200));
        }
        final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (committed.get() < published && System.nanoTime() < end) {
          Thread.onSpinWait();
        }
        assertThat(committed.get()).isEqualTo(published);
        pause(random.nextInt(20_000));
      }
    }
  }

  private static void pause(final long nanos) {
    final long end = System.nanoTime() + nanos;
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
  }

  private void publish(final String failing) throws IOException {
    done.clear();
    try (InFlight inFlight = InFlight.open(root.resolve("inflight"), 1);
        Pipeline pipeline = new Pipeline(8, more -> {}, inFlight, new Pace())) {
      pipeline.publish(new Failing(failing));
      pipeline.publish(new Failing("none"));
    }
  }

  @Test
  void laterStagesLeaveItAlone() throws IOException {
    publish("validate");
    assertThat(done).containsOnlyOnce("fail validate").doesNotContain("fail write");
    assertThat(done.stream().filter("write"::equals)).hasSize(1);
    assertThat(done.stream().filter("commit"::equals)).hasSize(1);
    publish("write");
    assertThat(done).containsOnlyOnce("fail write");
    assertThat(done.stream().filter("commit"::equals)).hasSize(1);
    publish("commit");
    assertThat(done).containsOnlyOnce("fail commit");
    assertThat(done.stream().filter("commit"::equals)).hasSize(2);
  }
}
