package org.sluice.iop.waves;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Users who ask for a wave. */
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

  private void awaitQuestion() throws InterruptedException {
    while (!Files.exists(WaveFiles.ofNode(store).asking())) {
      Thread.sleep(1);
    }
  }

  @Test
  @Timeout(20)
  void oneWhoWithdrawsLeavesTheQuestionOfAnother() throws Exception {
    final CompletableFuture<Boolean> first = ask(SHORT);
    awaitQuestion();
    final CompletableFuture<Boolean> second = ask(LONG);
    assertThat(first.get()).isFalse();
    awaitQuestion();
    assertThat(second).isNotDone();
    assertThat(new WaveLog(store).isAsked()).isTrue();
    assertThat(second.get()).isTrue();
    assertThat(WaveFiles.ofNode(store).asking()).doesNotExist();
  }

  @Test
  void nobodyTakesAQuestionWhereNoJobRuns() throws Exception {
    final CompletableFuture<Boolean> first = ask(SHORT);
    assertThat(ask(SHORT).get()).isFalse();
    assertThat(first.get()).isFalse();
  }
}
