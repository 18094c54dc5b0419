package org.sluice.core.store.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.core.chunk.ChunkBuilder;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.posix.Extent;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.store.disk.Disk;
import org.sluice.core.store.disk.NoStoreException;
import org.sluice.core.store.model.ChunkLocation;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;

class PosixStoreTest {
  private static final byte[] CONTENT = {1, 2, 3, 4, 5};

  @TempDir private Path directory;
  private Path path;
  private StoreFixture fixture;
  private PosixStore store;

  @BeforeEach
  void createStore() throws IOException {
    path = directory.resolve("store");
    fixture = new StoreFixture(path, directory);
    store = fixture.store();
  }

  @AfterEach
  void closeStore() throws IOException {
    fixture.close();
  }

  @Test
  void isOneStoreForAllThatMakeItAtTheSameMoment() throws Exception {
    for (int round = 0; round < 100; round++) {
      final Path shared = directory.resolve("shared" + round);
      final CyclicBarrier start = new CyclicBarrier(4);
      try (ExecutorService makers = Executors.newFixedThreadPool(start.getParties())) {
        final List<Future<Object>> formats = new ArrayList<>();
        for (int i = 0; i < start.getParties(); i++) {
          formats.add(
              makers.submit(
                  () -> {
                    start.await();
                    PosixStore.create(shared).close();
                    return Files.getAttribute(shared.resolve("format"), "unix:ino");
                  }));
        }
        for (final Future<Object> format : formats) {
          assertThat(format.get()).as("what is locked").isEqualTo(formats.getFirst().get());
        }
      }
      try (Stream<Path> parts = Files.list(shared)) {
        assertThat(parts.map(part -> part.getFileName().toString()))
            .containsExactlyInAnyOrder(
                "format", "node", "changes", "containers", "checkpoints", "staging");
      }
    }
  }

  @Test
  void givesBackWhatWasCommitted() throws IOException {
    final Commit committed = fixture.logged("a/b.ckpt", 2, CONTENT).commit(7, 4);
    try (PosixStore reader = PosixStore.open(path)) {
      final Commit commit = reader.commits().getFirst();
      assertThat(commit).isEqualTo(committed);
      assertThat(commit.number()).isEqualTo(7);
      assertThat(commit.coverage().ranks()).isEqualTo(4);
      assertThat(commit.content().bytes()).isEqualTo(5);
      final CommittedImage image = reader.images(commit).getFirst();
      assertThat(image.path()).isEqualTo("a/b.ckpt");
      assertThat(image.rank()).isEqualTo(2);
      assertThat(image.attributes().mode()).isEqualTo(0640);
      assertThat(rebuild(commit, image)).isEqualTo(CONTENT);
    }
  }

  @Test
  void givesBackAnEmptyImageAndAnEmptyCheckpoint() throws IOException {
    final Commit empty = fixture.commit(1, 0);
    assertThat(store.images(empty)).isEmpty();
    final Commit commit = fixture.image("a", 0, 0, fixture.file()).commit(2, 0);
    assertThat(rebuild(commit, store.images(commit).getFirst())).isEmpty();
  }

  @Test
  void keepsHolesAndLeavesOutFilesWithoutData() throws IOException {
    final NativeFile sparse = fixture.file();
    sparse.truncate(64 << 20);
    fixture.image("hole", 0, 64 << 20, sparse);
    final NativeFile mixed = fixture.file();
    Files.write(Path.of(mixed.opened()), new byte[4096]);
    mixed.truncate(64 << 20);
    fixture.image("mixed", 1, 64 << 20, mixed);
    final Commit commit = fixture.commit(1, 0);
    assertThat(checkpointFiles("images")).containsExactly("1");
    for (final CommittedImage image : store.images(commit)) {
      final Path restored = restore(commit, image);
      assertThat(Files.size(restored)).isEqualTo(64 << 20);
      try (NativeFile file = NativeFile.open(restored)) {
        final long data = file.dataExtents().stream().mapToLong(Extent::length).sum();
        assertThat(data).isLessThanOrEqualTo(4096);
      }
    }
  }

  @Test
  void linksAnImagesOwnFileAndCopiesItFromAnotherFileSystem() throws IOException {
    final Path elsewhere = Files.createTempFile(Path.of("/dev/shm"), "sluice", "");
    try (NativeFile foreign = NativeFile.open(elsewhere, Flag.WRITE)) {
      Files.write(elsewhere, CONTENT);
      fixture.filed("linked", 0, CONTENT).image("copied", 1, 5, foreign);
      final Commit commit = fixture.commit(1, 0);
      for (final CommittedImage image : store.images(commit)) {
        assertThat(rebuild(commit, image)).isEqualTo(CONTENT);
      }
    } finally {
      Files.delete(elsewhere);
    }
    final Path images = checkpoint().resolve("images");
    assertThat(Files.getAttribute(images.resolve("0"), "unix:nlink")).isEqualTo(2);
    assertThat(Files.getAttribute(images.resolve("1"), "unix:nlink")).isEqualTo(1);
  }

  @Test
  void cutsAnImagesOwnFileAtTheSizeOfTheImage() throws IOException {
    final NativeFile file = fixture.file();
    Files.write(Path.of(file.opened()), CONTENT);
    final Commit commit = fixture.image("short", 0, 3, file).commit(1, 0);
    assertThat(rebuild(commit, store.images(commit).getFirst()))
        .isEqualTo(Arrays.copyOf(CONTENT, 3));
  }

  @Test
  void rebuildsImagesThatShareAChunkEachFromItsOwnRecords() throws IOException {
    final int first = fixture.nextImage();
    final ChunkBuilder chunk = fixture.chunk();
    chunk.write(first, 0, (byte) 1).write(first + 1, 0, (byte) 2).write(first, 1, (byte) 3);
    final ChunkLocation location = fixture.append(chunk);
    fixture.image("one", 0, 2, fixture.file(), location);
    fixture.image("two", 0, 1, fixture.file(), location);
    final Commit commit = fixture.commit(1, 0);
    final List<CommittedImage> images = store.images(commit);
    assertThat(rebuild(commit, images.get(0))).containsExactly(1, 3);
    assertThat(rebuild(commit, images.get(1))).containsExactly(2);
  }

  @Test
  void showsNothingBeforeTheManifestIsThere() throws IOException {
    fixture.logged("image", 0, CONTENT).commit(1, 0);
    Disk.REAL.deleteAll(path.resolve("log")); // so that no record has it
    Files.move(checkpoint().resolve("manifest.json"), checkpoint().resolve("manifest.tmp"));
    assertThat(store.commits()).isEmpty();
    assertThat(store.find(1)).isEmpty();
  }

  @Test
  void leavesNothingOfACommitThatFails() throws IOException {
    final NativeFile closed = fixture.file();
    Files.write(Path.of(closed.opened()), CONTENT);
    try (NativeFile readable = NativeFile.open(Path.of("/proc/self/mem"))) {
      fixture.logged("good", 0, CONTENT).image("bad", 1, 5, readable);
      assertThatThrownBy(() -> fixture.commit(1, 0)).hasMessageContaining("/proc/self/mem");
    }
    assertThat(store.commits()).isEmpty();
    assertThat(path.resolve("checkpoints")).isEmptyDirectory();
  }

  @Test
  void aNumberCommittedAgainSupersedesTheOlderCommit() throws IOException {
    fixture.filed("image", 0, CONTENT).commit(1, 0);
    fixture.filed("image", 0, CONTENT).commit(2, 0);
    final Commit again = fixture.filed("image", 0, new byte[] {9}).commit(1, 0);
    assertThat(store.commits()).extracting(Commit::number).containsExactly(2L, 1L);
    assertThat(store.find(1)).contains(again);
    assertThat(store.newest()).contains(again);
    try (Stream<Path> checkpoints = Files.list(path.resolve("checkpoints"))) {
      assertThat(checkpoints).hasSize(2);
    }
  }

  @Test
  void anOlderCommitThatCouldNotBeDeletedStaysHidden() throws IOException {
    fixture.filed("image", 0, CONTENT).commit(1, 0);
    final Path older = checkpoint();
    final Path kept = directory.resolve("kept");
    copy(older, kept);
    final Commit again = fixture.filed("image", 0, CONTENT).commit(1, 0);
    copy(kept, older);
    assertThat(store.commits()).containsExactly(again);
    assertThat(store.find(1)).contains(again);
  }

  @Test
  void discardsOnlyContainersThatNobodyNeeds() throws IOException {
    final long id = fixture.container().id();
    final Path file = path.resolve("containers/%016x.data".formatted(id));
    assertThat(store.discard(id)).as("while it is appended to").isFalse();
    fixture.logged("image", 0, CONTENT).commit(1, 0);
    fixture.container().close();
    assertThat(store.discard(id)).as("while a checkpoint refers to it").isFalse();
    assertThat(file).exists();
    fixture.filed("image", 0, CONTENT).commit(1, 0);
    assertThat(file).as("when the last checkpoint with it is superseded").doesNotExist();
  }

  @Test
  void refusesADraftWhoseContainerIsClosed() throws IOException {
    fixture.logged("image", 0, CONTENT);
    fixture.container().close();
    assertThatThrownBy(() -> fixture.commit(1, 0)).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/etc/passwd", "a/../b", "..", "./a", "a//b", "a/", "a\0b"})
  void refusesAPathThatCouldLeadOutOfATarget(final String image) throws IOException {
    fixture.logged(image, 0, CONTENT);
    assertThatThrownBy(() -> fixture.commit(1, 0)).isInstanceOf(IOException.class);
    assertThat(path.resolve("checkpoints")).isEmptyDirectory();
  }

  @Test
  void tellsMissingForeignAndOtherVersionsStoresApart() throws IOException {
    assertThatThrownBy(() -> PosixStore.open(directory.resolve("none")))
        .isInstanceOf(NoStoreException.class)
        .hasMessageContaining("no store");
    assertThatThrownBy(() -> PosixStore.create(directory.resolve("none/store")))
        .isInstanceOf(NoStoreException.class)
        .hasMessageContaining("create it");
    assertThatThrownBy(() -> PosixStore.open(directory))
        .isInstanceOf(NoStoreException.class)
        .hasMessageContaining("is not a store");
    assertThatThrownBy(() -> PosixStore.create(directory))
        .isInstanceOf(NoStoreException.class)
        .hasMessageContaining("empty directory");
    Files.writeString(path.resolve("format"), "sluice store 5\n");
    assertThatThrownBy(() -> PosixStore.open(path)).isInstanceOf(FormatVersionException.class);
  }

  @Test
  void opensAStoreThatIsThereAgain() throws IOException {
    fixture.logged("image", 0, CONTENT).commit(1, 0);
    try (PosixStore again = PosixStore.create(path)) {
      assertThat(again.commits()).hasSize(1);
    }
  }

  private byte[] rebuild(final Commit commit, final CommittedImage image) throws IOException {
    return Files.readAllBytes(restore(commit, image));
  }

  private Path restore(final Commit commit, final CommittedImage image) throws IOException {
    final Path restored = Files.createTempFile(directory, "restored", "");
    try (NativeFile target = NativeFile.open(restored, Flag.WRITE)) {
      store.rebuild(commit, image, target);
    }
    return restored;
  }

  /** The only checkpoint's directory. */
  private Path checkpoint() throws IOException {
    try (Stream<Path> checkpoints = Files.list(path.resolve("checkpoints"))) {
      return checkpoints.findFirst().orElseThrow();
    }
  }

  private List<String> checkpointFiles(final String part) throws IOException {
    try (Stream<Path> files = Files.list(checkpoint().resolve(part))) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  private static void copy(final Path from, final Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (final Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file)));
      }
    }
  }
}
