package org.sluice.iop.wave;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.store.parts.SeriesDirectory;
import org.sluice.core.store.stage.StagePlace;

/** Where they are, and users who ask for a wave. */
class WaveFilesTest {
  private static final Duration SHORT = Duration.ofMillis(300);
  private static final Duration LONG = Duration.ofMinutes(1);

  @TempDir Path store;

  private CompletableFuture<Boolean> ask(final Duration patience) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return WaveFiles.ofNode(store).ask(patience);
          } catch (final Exception e) {
            throw new AssertionError(e);
          }
        },
        Thread::startVirtualThread);
  }

  private void awaitQuestion(final CompletableFuture<Boolean> asked) throws InterruptedException {
    while (!Files.exists(WaveFiles.ofNode(store).asking()) && !asked.isDone()) {
      Thread.sleep(1);
    }
  }

  @Test
  @Timeout(50)
  void oneWhoWithdrawsLeavesTheQuestionOfAnother() throws Exception {
    final CompletableFuture<Boolean> first = ask(SHORT);
    awaitQuestion(first);
    final CompletableFuture<Boolean> second = ask(LONG);
    assertThat(first.get()).isFalse();
    awaitQuestion(second);
    assertThat(second).isNotDone();
    assertThat(new WaveLog(store).isAsked()).isTrue();
    assertThat(second.get()).isTrue();
    assertThat(WaveFiles.ofNode(store).asking()).doesNotExist();
  }

  @Test
  void aStoreInAFolderOfAnyNameHasItsOwn() throws IOException {
    final Path series = store.resolve("shared/default");
    SeriesDirectory.create(series.getParent());
    assertThat(WaveFiles.ofNode(series.resolve("data/17-b17")).folder()).isEqualTo(series);
    final StagePlace place =
        StagePlace.make(store.resolve("stage"), "s3://b/p", "default", 17, "b17");
    assertThat(WaveFiles.ofNode(place.path()).folder()).isEqualTo(place.root().resolve("default"));
    for (final String name : List.of("store", "17-b17")) {
      final Path other = store.resolve("data").resolve(name);
      assertThat(WaveFiles.ofNode(other).folder()).isEqualTo(other);
    }
  }

  @Test
  void nobodyTakesAQuestionWhereNoJobRuns() throws Exception {
    final CompletableFuture<Boolean> first = ask(SHORT);
    assertThat(ask(SHORT).get()).isFalse();
    assertThat(first.get()).isFalse();
  }
}
