package org.sluice.iop.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.engine.Engine;
import org.sluice.core.engine.ForwardingEngine;
import org.sluice.core.series.Coverage;
import org.sluice.core.series.PartKey;
import org.sluice.core.series.PartsCheck;
import org.sluice.core.series.SeriesDirectory;
import org.sluice.core.series.SeriesRun;
import org.sluice.core.store.Commit;
import org.sluice.core.store.RankSet;
import org.sluice.core.store.StoreFixture;
import org.sluice.iop.checkpoint.SeriesStorage.InDirectory;

/** What a node knows of checkpoints of several nodes, and who waits for storage. */
class SeriesCommitsTest {
  private static final String NODE = "b17";

  @TempDir private Path temp;

  private final CountDownLatch hanging = new CountDownLatch(1);
  private final CountDownLatch goesOn = new CountDownLatch(1);

  @Test
  void theServiceThreadDoesNotWaitForStorage() throws Exception {
    final SeriesDirectory directory = SeriesDirectory.create(temp.resolve("store"));
    directory.make("default");
    final Engine engine = new HangingEngine(directory.engine("default"));
    final SeriesRun run = SeriesRun.join(engine, "run", NODE);
    final SeriesDirectory.Place place = directory.place("default", run.begin(), NODE);
    try (StoreFixture fixture = new StoreFixture(place.path(), temp)) {
      fixture.filed("a", 0, "it".getBytes());
      final Commit commit = fixture.commit(1, 2);
      final SeriesStorage storage = new InDirectory(place, fixture.store());
      try (SeriesCommits commits =
          new SeriesCommits(place, run, engine, fixture.store(), storage)) {
        commits.put(commit, commits.part(commit, 0, 0, Coverage.ALL), () -> {}, refused -> {});
        try {
          assertThat(hanging.await(10, TimeUnit.SECONDS)).isTrue();
          CompletableFuture.runAsync(() -> asTheServiceThread(commits)).get(10, TimeUnit.SECONDS);
        } finally {
          goesOn.countDown();
        }
      }
    }
  }

  /** This node has not looked at parts before the log says it. */
  @Test
  void aPartOfRankOneDoesNotCountBeforeThatOfRankZero() throws Exception {
    final SeriesDirectory directory = SeriesDirectory.create(temp.resolve("store"));
    directory.make("default");
    final Engine engine = directory.engine("default");
    final SeriesRun run = SeriesRun.join(engine, "run", NODE);
    final SeriesDirectory.Place place = directory.place("default", run.begin(), NODE);
    try (StoreFixture fixture = new StoreFixture(place.path(), temp)) {
      fixture.filed("a", 1, "it".getBytes());
      final Commit commit = fixture.commitPart(1, 2, RankSet.of(IntStream.of(1)));
      final CompletableFuture<Void> counts = new CompletableFuture<>();
      try (SeriesCommits commits =
          new SeriesCommits(
              place, run, engine, fixture.store(), new InDirectory(place, fixture.store()))) {
        commits.hurry(1);
        commits.put(
            commit,
            commits.part(commit, 0, 0, Coverage.ALL),
            () -> counts.complete(null),
            counts::completeExceptionally);
        assertThatThrownBy(() -> counts.get(1, TimeUnit.SECONDS))
            .isInstanceOf(TimeoutException.class);
        final SeriesRun other = SeriesRun.join(directory.engine("default"), "run", "b18");
        final PartKey first = other.part(1, 0, 0, RankSet.of(IntStream.of(0)));
        other.put(first, List.of(ByteBuffer.wrap(new byte[1])));
        assertThat(other.commit(first, 2, PartsCheck.NONE).isEmpty()).isTrue();
        counts.get(10, TimeUnit.SECONDS);
      }
    }
  }

  /** What is put late in a grace has what is left of that. */
  @Test
  void aLimitHoldsForAllThatASessionWaitsFor() throws Exception {
    final SeriesDirectory directory = SeriesDirectory.create(temp.resolve("store"));
    directory.make("default");
    final Engine engine = directory.engine("default");
    final SeriesRun run = SeriesRun.join(engine, "run", NODE);
    final SeriesDirectory.Place place = directory.place("default", run.begin(), NODE);
    try (StoreFixture fixture = new StoreFixture(place.path(), temp)) {
      fixture.filed("a", 1, "it".getBytes());
      final Commit commit = fixture.commitPart(1, 2, RankSet.of(IntStream.of(1)));
      final CompletableFuture<IOException> refused = new CompletableFuture<>();
      try (SeriesCommits commits =
          new SeriesCommits(
              place, run, engine, fixture.store(), new InDirectory(place, fixture.store()))) {
        commits.patience(TimeUnit.SECONDS.toNanos(4));
        commits.end();
        TimeUnit.SECONDS.sleep(3);
        assertThat(commits.patience()).isLessThanOrEqualTo(TimeUnit.SECONDS.toNanos(1));
        final PartKey part = commits.part(commit, 0, 0, Coverage.ALL);
        commits.put(commit, part, () -> {}, refused::complete);
        assertThat(refused.get(3, TimeUnit.SECONDS)).hasMessageContaining("ranks 0 are missing");
      }
    }
  }

  private static void asTheServiceThread(final SeriesCommits commits) {
    commits.numbersBefore();
    commits.end();
  }

  /** Storage that is mounted, and whose server has gone once a checkpoint is to count. */
  private final class HangingEngine extends ForwardingEngine {
    HangingEngine(final Engine engine) {
      super(engine);
    }

    @Override
    public boolean putIfAbsent(final String key, final byte[] bytes) throws IOException {
      if (!key.endsWith("1")) { // the run has begun
        hanging.countDown();
        try {
          goesOn.await();
        } catch (final InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
      return super.putIfAbsent(key, bytes);
    }
  }
}
