package org.sluice.iop.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.RankSet;
import org.sluice.core.store.node.StoreFixture;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.objects.ForwardingEngine;
import org.sluice.core.store.parts.SeriesDirectory;
import org.sluice.core.store.series.PartKey;
import org.sluice.core.store.series.PartsCheck;
import org.sluice.core.store.series.RequiredRanks;
import org.sluice.core.store.series.SeriesRun;
import org.sluice.iop.publish.SeriesStorage.InDirectory;

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
      try (SeriesCommits commits = new SeriesCommits(run, engine, fixture.store(), storage)) {
        commits.put(commit, commits.part(commit, 0, 0, RequiredRanks.ALL), () -> {}, refused -> {});
        try {
          assertThat(hanging.await(60, TimeUnit.SECONDS)).isTrue();
          CompletableFuture.runAsync(() -> asTheServiceThread(commits)).get(60, TimeUnit.SECONDS);
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
              run, engine, fixture.store(), new InDirectory(place, fixture.store()))) {
        commits.hurry(1);
        commits.put(
            commit,
            commits.part(commit, 0, 0, RequiredRanks.ALL),
            () -> counts.complete(null),
            counts::completeExceptionally);
        assertThatThrownBy(() -> counts.get(1, TimeUnit.SECONDS))
            .isInstanceOf(TimeoutException.class);
        final SeriesRun other = SeriesRun.join(directory.engine("default"), "run", "b18");
        final PartKey first = other.part(1, 0, 0, RankSet.of(IntStream.of(0)));
        other.put(first, List.of(ByteBuffer.wrap(new byte[1])));
        assertThat(other.commit(first, other.parts(first), 2, PartsCheck.NONE).isEmpty()).isTrue();
        counts.get(60, TimeUnit.SECONDS);
      }
    }
  }

  /** The newest is what counts since last: that must not be the older one. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void whatAnotherNodePutsBehindAnyLookCountsInItsOrder(final int look) throws Exception {
    final SeriesDirectory directory = SeriesDirectory.create(temp.resolve("store"));
    directory.make("default");
    final SeriesRun other = SeriesRun.join(directory.engine("default"), "run", "b18");
    final InterruptedEngine engine = new InterruptedEngine(directory.engine("default"), other);
    final SeriesRun run = SeriesRun.join(engine, "run", NODE);
    final SeriesDirectory.Place place = directory.place("default", run.begin(), NODE);
    final List<Long> counting = new CopyOnWriteArrayList<>();
    final CountDownLatch over = new CountDownLatch(2);
    try (StoreFixture fixture = new StoreFixture(place.path(), temp);
        SeriesCommits commits =
            new SeriesCommits(
                run, engine, fixture.store(), new InDirectory(place, fixture.store()))) {
      for (final long number : new long[] {1, 2}) {
        fixture.filed("a" + number, 0, "it".getBytes());
        final Commit commit = fixture.commitPart(number, 2, RankSet.of(IntStream.of(0)));
        final PartKey part = commits.part(commit, 0, 0, RequiredRanks.ALL);
        final Runnable counts =
            () -> {
              counting.add(number);
              over.countDown();
            };
        commits.put(commit, part, counts, refused -> over.countDown());
      }
      engine.looks.set(look);
      assertThat(over.await(60, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(counting).containsExactly(1L, 2L);
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
              run, engine, fixture.store(), new InDirectory(place, fixture.store()))) {
        commits.patience(TimeUnit.SECONDS.toNanos(4));
        commits.end();
        TimeUnit.SECONDS.sleep(3);
        assertThat(commits.patience()).isLessThanOrEqualTo(TimeUnit.SECONDS.toNanos(1));
        final PartKey part = commits.part(commit, 0, 0, RequiredRanks.ALL);
        commits.put(commit, part, () -> {}, refused::complete);
        assertThat(refused.get(20, TimeUnit.SECONDS)).hasMessageContaining("ranks 0 are missing");
      }
    }
  }

  private static void asTheServiceThread(final SeriesCommits commits) {
    commits.numbersBefore();
    commits.end();
  }

  /** Behind one of the looks at parts another node puts its own. */
  private static final class InterruptedEngine extends ForwardingEngine {
    private final SeriesRun other;
    private final AtomicInteger looks = new AtomicInteger(); // to come before that

    InterruptedEngine(final Engine engine, final SeriesRun other) {
      super(engine);
      this.other = other;
    }

    @Override
    public List<String> list(final String prefix) throws IOException {
      final List<String> found = super.list(prefix);
      if (prefix.startsWith(PartKey.FOLDER) && looks.getAndDecrement() == 1) {
        for (long number = 1; number <= 2; number++) {
          final PartKey part = other.part(number, 0, 0, RankSet.of(IntStream.of(1)));
          other.put(part, List.of(ByteBuffer.wrap(new byte[1])));
        }
      }
      return found;
    }
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
