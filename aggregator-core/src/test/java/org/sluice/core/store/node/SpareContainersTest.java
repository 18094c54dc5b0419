package org.sluice.core.store.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.chunk.ChunkBuilder;
import org.sluice.core.store.disk.Container;
import org.sluice.core.store.model.ChunkLocation;
import org.sluice.core.store.model.Commit;

/** Removed checkpoints, and the containers that are made of what is left of them. */
class SpareContainersTest {
  private static final byte[] CONTENT = new byte[5000];

  @TempDir private Path directory;
  private Path path;
  private StoreFixture fixture;
  private PosixStore store;

  @BeforeEach
  void open() throws IOException {
    path = directory.resolve("store");
    fixture = new StoreFixture(path, directory);
    store = fixture.store();
  }

  @AfterEach
  void close() throws IOException {
    fixture.close();
  }

  @Test
  void aRemovedCheckpointIsGone() throws IOException {
    final Commit commit =
        fixture.logged("image", 0, CONTENT).filed("file", 1, CONTENT).commit(1, 0);
    assertThat(store.remove(commit)).isTrue();
    assertThat(store.commits()).isEmpty();
    assertThat(path.resolve("checkpoints")).isEmptyDirectory();
    assertThat(store.remove(commit)).as("again").isTrue();
    assertThat(store.whileHeld(commit, () -> {})).isFalse();
  }

  @Test
  void whoReadsACheckpointKeepsIt() throws IOException {
    final Commit commit = fixture.logged("image", 0, CONTENT).commit(1, 0);
    final List<Boolean> removed = new ArrayList<>();
    assertThat(store.whileHeld(commit, () -> removed.add(store.remove(commit)))).isTrue();
    assertThat(removed).containsExactly(false);
    assertThat(store.commits()).containsExactly(commit);
    assertThat(store.remove(commit)).isTrue();
  }

  @Test
  void blocksOfARemovedCheckpointAreUsedAgain() throws IOException {
    final Commit commit = fixture.logged("image", 0, CONTENT).commit(1, 0);
    fixture.container().close();
    final Path before = only();
    final Object inode = Files.getAttribute(before, "unix:ino");
    final long size = Files.size(before);
    assertThat(newContainer()).as("while the checkpoint is there").isNotEqualTo(before);
    store.remove(commit);
    final Container next = store.createContainer(StoreFixture.SESSION, "node1");
    final Path after = file(next.id());
    assertThat(before).doesNotExist();
    assertThat(Files.getAttribute(after, "unix:ino")).isEqualTo(inode);
    assertThat(Files.size(after)).isEqualTo(size);
  }

  @Test
  void aStaleChunkInAContainerUsedAgainIsRefused() throws IOException {
    final ChunkBuilder chunk = fixture.chunk().write(fixture.nextImage(), 0, CONTENT);
    final ChunkLocation first = fixture.append(chunk);
    final ChunkLocation second = fixture.append(chunk);
    final Commit old =
        fixture.image("image", 0, CONTENT.length, fixture.file(), first, second).commit(1, 0);
    fixture.container().close();
    store.remove(old);
    final Container next = store.createContainer(StoreFixture.SESSION, "node1");
    final ChunkLocation written = StoreFixture.append(next, chunk);
    assertThat(written.position()).isEqualTo(first.position());
    final ChunkLocation lost =
        new ChunkLocation(next.id(), second.position(), second.used(), second.crc());
    final Commit commit =
        fixture.image("image", 0, CONTENT.length, fixture.file(), written, lost).commit(2, 0);
    final List<IOException> damage = new ArrayList<>();
    store.verify(commit, damage::add, bytes -> {});
    assertThat(damage)
        .singleElement()
        .satisfies(
            e ->
                assertThat(e)
                    .hasMessageContaining(file(next.id()).toString())
                    .hasMessageContaining("a chunk from elsewhere"));
  }

  @Test
  void whatADeadSessionLeftIsUsedAgain() throws IOException {
    fixture.container().close();
    final Path garbage = only();
    final Path taken = newContainer();
    assertThat(garbage).doesNotExist();
    assertThat(only()).isEqualTo(taken);
  }

  @Test
  void onlyAsManySparesStayAsTheNextCheckpointNeeds() throws IOException {
    for (int i = 0; i < 3; i++) {
      store.createContainer(StoreFixture.SESSION, "node1");
    }
    try (PosixStore dead = PosixStore.open(path)) {
      for (int i = 0; i < 3; i++) {
        dead.createContainer(StoreFixture.SESSION, "node1");
      }
    }
    assertThat(containers()).hasSize(7);
    age();
    fixture.logged("image", 0, CONTENT).commit(1, 0);
    assertThat(containers()).as("four in use, one spare").hasSize(5);
    store.createContainer(StoreFixture.SESSION, "node1").close();
    store.createContainer(StoreFixture.SESSION, "node1").close();
    store.prepareCommits();
    assertThat(containers()).as("four in use, one of two spare ones").hasSize(5);
    store.discardSpares();
    assertThat(containers()).hasSize(4);
  }

  @Test
  void theLargestSpareIsUsedFirstAndKeptLongest() throws IOException {
    final List<Path> left = new ArrayList<>();
    try (PosixStore dead = PosixStore.open(path)) {
      for (final int length : new int[] {2, 5, 3, 4, 1}) {
        left.add(file(dead.createContainer(StoreFixture.SESSION, "node1").id()));
        Files.write(left.getLast(), new byte[length << 20]);
      }
    }
    age();
    final Object largest = Files.getAttribute(left.get(1), "unix:ino");
    assertThat(Files.getAttribute(newContainer(), "unix:ino")).isEqualTo(largest);
    fixture.logged("image", 0, CONTENT).commit(1, 0);
    assertThat(left).filteredOn(Files::exists).containsExactly(left.get(3));
  }

  @Test
  void whatASessionLeftJustNowIsKeptForWhoeverResumesIt() throws IOException {
    final Path left;
    try (PosixStore dead = PosixStore.open(path)) {
      left = file(dead.createContainer(StoreFixture.SESSION, "node1").id());
    }
    store.discardSpares();
    assertThat(left).exists();
    age();
    store.discardSpares();
    assertThat(left).doesNotExist();
  }

  @Test
  void whatASessionLeftThatHasEndedIsTakenAtOnce() throws IOException {
    final Path left;
    try (PosixStore over = PosixStore.open(path)) {
      final Container container = over.createContainer(StoreFixture.SESSION, "node1");
      left = file(container.id());
      container.close();
      over.end();
    }
    store.discardSpares();
    assertThat(left).doesNotExist();
  }

  @Test
  void whatASessionHadInUseIsKeptThoughItWasWrittenLongAgo() throws IOException {
    final Path left;
    try (PosixStore dead = PosixStore.open(path)) {
      left = file(dead.createContainer(StoreFixture.SESSION, "node1").id());
      age();
      dead.renew();
    }
    store.discardSpares();
    assertThat(left).exists();
  }

  /** The thread that serves the ranks says so. */
  @Test
  @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void sayingThatAContainerIsInUseDoesNotWaitForWhatHasItsName() throws Exception {
    final Path container = newContainer();
    Files.move(container, path.resolve("aside"));
    assertThat(new ProcessBuilder("mkfifo", container.toString()).start().waitFor()).isZero();
    store.renew();
  }

  /** As if nobody had written to any container for long. */
  private void age() throws IOException {
    for (final Path container : containers()) {
      Files.setLastModifiedTime(container, FileTime.from(Instant.EPOCH));
    }
  }

  private Path newContainer() throws IOException {
    return file(store.createContainer(StoreFixture.SESSION, "node1").id());
  }

  private Path file(final long id) {
    return path.resolve("containers/%016x.data".formatted(id));
  }

  private Path only() throws IOException {
    assertThat(containers()).hasSize(1);
    return containers().getFirst();
  }

  private List<Path> containers() throws IOException {
    try (Stream<Path> files = Files.list(path.resolve("containers"))) {
      return files.toList();
    }
  }
}
