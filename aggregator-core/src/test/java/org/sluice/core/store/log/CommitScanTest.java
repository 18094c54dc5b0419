package org.sluice.core.store.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.agrona.IoUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.store.directory.StoreDirectory;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.node.StoreFixture;

/** A checkpoint that is superseded between two looks of a scan. */
class CommitScanTest {
  @TempDir private Path directory;
  private StoreFixture fixture;
  private Path path;
  private Path old;
  private Commit again;
  private Path fresh;

  @BeforeEach
  void commitTwice() throws IOException {
    path = directory.resolve("store");
    fixture = new StoreFixture(path, directory);
    fixture.commit(1, 0);
    old = only();
    final Path aside = Files.move(old, directory.resolve("aside"));
    again = fixture.commit(1, 0);
    fresh = only();
    Files.move(aside, old);
  }

  @AfterEach
  void close() throws IOException {
    fixture.close();
  }

  /** In whatever order the directories come. */
  @RepeatedTest(8)
  void theNewManifestIsSeenThoughItsDirectoryWasPassedOver() throws IOException {
    final Path manifest = fresh.resolve("manifest.json");
    final Path draft = Files.move(manifest, fresh.resolve("manifest.tmp"));
    final List<Commit> commits =
        scanWhile(
            () -> {
              Files.move(draft, manifest);
              Files.delete(old.resolve("manifest.json"));
            });
    assertThat(commits).containsExactly(again);
  }

  @Test
  void theNewDirectoryIsSeenThoughItCameAfterTheList() throws IOException {
    assertThat(scanWhileTheNewComesAnd(() -> IoUtil.delete(old.toFile(), false)))
        .containsExactly(again);
  }

  @Test
  void theNewDirectoryIsSeenThoughOnlyTheOldManifestIsGone() throws IOException {
    assertThat(scanWhileTheNewComesAnd(() -> Files.delete(old.resolve("manifest.json"))))
        .containsExactly(again);
  }

  /** As when an archive is not mounted. */
  @Test
  void aLinkThatLeadsNowhereIsPassedOver() throws IOException {
    Files.move(old, directory.resolve("elsewhere"));
    Files.createSymbolicLink(old, directory.resolve("nowhere"));
    assertThat(scanWhile(() -> {})).containsExactly(again);
  }

  /** What another process does. */
  @FunctionalInterface
  private interface Step {
    void run() throws IOException;
  }

  private List<Commit> scanWhileTheNewComesAnd(final Step removal) throws IOException {
    final Path coming = Files.move(fresh, directory.resolve("coming"));
    return scanWhile(
        () -> {
          Files.move(coming, fresh);
          removal.run();
        });
  }

  /** Scans, and does something right before the old commit's manifest is looked for. */
  private List<Commit> scanWhile(final Step step) throws IOException {
    final boolean[] done = {false};
    return new CommitScan(StoreDirectory.open(path))
        .commits(
            checkpoint -> {
              if (checkpoint.path().equals(old) && !done[0]) {
                done[0] = true;
                run(step);
              }
              return true;
            },
            unreadable -> {
              throw new AssertionError(unreadable);
            });
  }

  private static void run(final Step step) {
    try {
      step.run();
    } catch (final IOException e) {
      throw new AssertionError(e);
    }
  }

  private Path only() throws IOException {
    try (Stream<Path> checkpoints = Files.list(path.resolve("checkpoints"))) {
      return checkpoints.findFirst().orElseThrow();
    }
  }
}
