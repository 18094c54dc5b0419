package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.command.CommandException;
import org.sluice.core.store.series.LogEntry;

/** A run of another node that did not end, and the one that is to begin behind it. */
@Timeout(50)
class IncumbentTest {
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final Duration SHORT = Duration.ofMillis(1200);

  @TempDir Path data;
  private Path claim;

  @BeforeEach
  void claim() throws IOException {
    claim = data.resolve("job-b17");
    Files.writeString(claim, "first\nwho\n");
  }

  private void follow(final String run, final Duration rest) throws IOException {
    final LogEntry.Begin first = new LogEntry.Begin("first", 0, List.of(), "b17", Instant.EPOCH);
    new Incumbent("store", data, run, rest).follow(first);
  }

  /** Its clock may be years behind. */
  @Test
  void aLiveOneIsNotFollowed() throws Exception {
    final CompletableFuture<Void> over = new CompletableFuture<>();
    final Thread renewal = Thread.startVirtualThread(() -> renewUntil(over));
    assertThatThrownBy(() -> follow("second", LONG))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("run first, which node b17 began, is at work");
    over.complete(null);
    renewal.join();
  }

  @Test
  void oneThatStandsStillIsFollowedBehindItsRest() throws IOException {
    final long began = System.nanoTime();
    follow("second", SHORT);
    assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(SHORT.toNanos());
    assertThat(claim).exists();
  }

  @Test
  void oneThatEndsOrEndedIsFollowedAtOnce() throws IOException {
    CompletableFuture.runAsync(
        () -> claim.toFile().delete(),
        CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS));
    follow("second", LONG);
    follow("third", LONG);
  }

  private void renewUntil(final CompletableFuture<Void> over) {
    for (long time = 0; !over.isDone(); time++) {
      try {
        Files.setLastModifiedTime(claim, FileTime.fromMillis(time));
        Thread.sleep(50);
      } catch (final IOException | InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }
}
