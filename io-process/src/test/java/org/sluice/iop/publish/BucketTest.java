package org.sluice.iop.publish;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.Keeping;
import org.sluice.core.store.node.StoreFixture;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.parts.SeriesObjects;
import org.sluice.core.store.series.CopiedStore;
import org.sluice.core.store.series.LogEntry;
import org.sluice.core.store.series.SeriesLog;
import org.sluice.core.store.series.SeriesRun;
import org.sluice.core.store.series.SeriesState;
import org.sluice.core.store.stage.StagePlace;

/** The checkpoints that stay in a bucket, whose objects are files here. */
class BucketTest {
  private static final String NODE = "b17";

  /** Two stay: files may join the newest. */
  private static final Keeping ONE = new Keeping(1, 2, true);

  @TempDir private Path temp;
  private Path objects;
  private String uri;

  @BeforeEach
  void commitAnEarlierRun() throws IOException {
    objects = Files.createDirectory(temp.resolve("objects"));
    uri = objects.toUri() + "/";
    try (StoreFixture fixture = new StoreFixture(temp.resolve("earlier"), temp)) {
      for (final long number : new long[] {1, 2, 3}) {
        commit(fixture, number);
      }
      CopiedStore.copy(fixture.store(), uri, "default", "first", NODE);
    }
  }

  private static Commit commit(final StoreFixture fixture, final long number) throws IOException {
    return fixture.filed("rank-0", 0, new byte[] {(byte) number}).commit(number, 1);
  }

  @Test
  void oneEntryOfTheLogRemovesAllThatGoes() throws Exception {
    final long before = log().last();
    run("second", new long[] {4}, () -> {});
    assertThat(numbers()).containsExactly(3L, 4L);
    assertThat(log().last()).isEqualTo(before + 3); // begin, commit and remove
  }

  @Test
  void checkpointsOfEarlierRunsThatCannotBeReadStay() throws Exception {
    final List<Path> parts = files("part/0000000002-");
    assertThat(parts).hasSize(1);
    Files.write(parts.getFirst(), new byte[] {1, 2, 3});
    run("second", new long[] {4, 5, 6}, () -> {});
    assertThat(numbers()).containsExactly(2L, 5L, 6L);
    assertThat(data(2)).isNotEmpty();
  }

  /** A policy of the bucket may refuse them for good. */
  @Test
  void checkpointsOfThisRunGoWhereEarlierOnesAreRefused() throws Exception {
    uri = RefusingEngineProvider.location(objects);
    run("second", new long[] {4, 5, 6}, () -> {});
    assertThat(numbers()).containsExactly(1L, 2L, 3L, 5L, 6L);
    assertThat(data(4)).isEmpty();
  }

  @Test
  void objectsOfThisRunGoBehindTheLogAlone() throws Exception {
    run("second", new long[] {4, 5, 6}, () -> {});
    assertThat(numbers()).containsExactly(5L, 6L);
    assertThat(data(4)).isEmpty();
    assertThat(data(5)).isNotEmpty();
    assertThat(data(3)).isNotEmpty(); // its process may live for a minute
  }

  @Test
  void nothingGoesOnceAnotherRunHasBegun() throws Exception {
    run("second", new long[] {4, 5, 6}, () -> SeriesRun.join(engine(), "third", NODE));
    assertThat(numbers()).containsExactly(4L, 5L, 6L);
    assertThat(data(4)).isNotEmpty();
  }

  @Test
  void aNumberThatIsRemovedAlreadyCostsNoEntry() throws Exception {
    final SeriesRun run = SeriesRun.join(engine(), "second", NODE);
    run.remove((sequence, commit) -> commit.number() < 3);
    final long last = log().last();
    run.remove((sequence, commit) -> commit.number() < 3);
    assertThat(log().last()).isEqualTo(last);
    assertThat(numbers()).containsExactly(3L);
  }

  private interface Step {
    void run() throws IOException;
  }

  /**
   * Commits checkpoints in a bucket that keeps two.
   *
   * @param late a step behind the last commit, before it counts here
   */
  private void run(final String name, final long[] numbers, final Step late) throws Exception {
    final SeriesRun run = SeriesRun.join(engine(), name, NODE);
    final StagePlace place =
        StagePlace.make(temp.resolve("stage"), uri, "default", run.begin(), NODE);
    try (StoreFixture fixture = new StoreFixture(place.path(), temp);
        Bucket bucket = new Bucket(SeriesObjects.open(uri), place, fixture.store(), ONE)) {
      for (final long number : numbers) {
        final PendingUpload one = new PendingUpload(commit(fixture, number), 0, 0, null);
        final CompletableFuture<Void> counts = new CompletableFuture<>();
        bucket
            .commits()
            .put(
                one.commit(),
                bucket.part(one),
                () -> {
                  try {
                    if (number == numbers[numbers.length - 1]) {
                      late.run();
                    }
                    bucket.counts(one);
                    counts.complete(null);
                  } catch (final IOException e) {
                    counts.completeExceptionally(e);
                  }
                },
                counts::completeExceptionally);
        counts.get(60, TimeUnit.SECONDS);
      }
    }
  }

  private Engine engine() throws IOException {
    return SeriesObjects.open(uri).engine("default");
  }

  private SeriesState log() throws IOException {
    return new SeriesLog(engine()).read();
  }

  private List<Long> numbers() throws IOException {
    return log().live().values().stream().map(LogEntry.Commit::number).toList();
  }

  private List<Path> data(final long number) throws IOException {
    return files("data/").stream()
        .filter(path -> path.toString().contains("/%010d-".formatted(number)))
        .toList();
  }

  private List<Path> files(final String prefix) throws IOException {
    try (Stream<Path> all = Files.walk(objects)) {
      return all.filter(Files::isRegularFile)
          .filter(path -> objects.resolve("default").relativize(path).toString().startsWith(prefix))
          .toList();
    }
  }
}
