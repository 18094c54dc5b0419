package org.sluice.core.store.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.Completion;

/** A store of version 1, as {@code golden/README.md} describes it, in the hands of this version. */
class OldStoreTest extends StoreTest {
  private static final Path GOLDEN = Path.of("src", "test", "resources", "golden", "store-1");
  private static final int CUTS = 5;

  @BeforeEach
  void copyGolden() throws IOException {
    copyTo(path);
  }

  @Test
  void isReadAsItIs() throws IOException {
    assertThat(intact()).extracting(Commit::number).containsExactly(3L, 4L, 5L);
    try (PosixStore store = PosixStore.open(path)) {
      for (final Commit commit : store.commits()) {
        assertThat(commit.completion()).isEmpty();
        for (final CommittedImage image : store.images(commit)) {
          assertThat(rebuilt(store, commit, image)).isEqualTo(expected(commit.number(), image));
        }
      }
      assertThat(store.newest()).map(Commit::number).contains(4L);
      assertThat(collect(true)).isEmpty();
    }
    assertThat(format()).isEqualTo("sluice store 1\n");
    assertThat(path.resolve("changes")).doesNotExist();
  }

  @Test
  void becomesANewOneWithItsFirstWriter() throws IOException {
    final Object lock = Files.getAttribute(path.resolve("format"), "unix:ino");
    try (StoreFixture fixture = new StoreFixture(path, fresh())) {
      assertThat(format()).isEqualTo("sluice store 3\n");
      assertThat(Files.getAttribute(path.resolve("format"), "unix:ino")).isEqualTo(lock);
      assertThat(add(fixture, 6).identity().sequence()).isEqualTo(4);
      add(fixture, 3);
    }
    assertThat(intact()).extracting(Commit::number).containsExactly(4L, 5L, 6L, 3L);
    assertThat(intact())
        .extracting(Commit::completion)
        .containsExactly(
            Optional.empty(),
            Optional.empty(),
            Optional.of(Completion.COUNT),
            Optional.of(Completion.COUNT));
    age();
    assertThat(collect(false)).as("container of checkpoint 3").hasSize(1);
  }

  @Test
  void losesACheckpointToItsFirstWriter() throws IOException {
    try (PosixStore store = PosixStore.open(path)) {
      assertThat(store.remove(store.find(3).orElseThrow())).isTrue();
    }
    assertThat(format()).isEqualTo("sluice store 3\n");
    assertThat(intact()).extracting(Commit::number).containsExactly(4L, 5L);
  }

  @Test
  void isWholeWheneverItsFirstWriterIsKilledOrThePowerFails() throws IOException {
    for (int step = 0, steps = 0; step == steps; step++) {
      final LoggedDisk disk = new LoggedDisk(grown());
      path = disk.directory().resolve("store");
      disk.stopAt(disk.position() + step);
      try (StoreFixture fixture = new StoreFixture(path, disk.directory(), disk)) {
        add(fixture, 6);
      } catch (final LoggedDisk.Stopped killed) {
        steps++;
      }
      disk.endProcess();
      assertThat(intact()).hasSizeBetween(3, 4);
      for (int seed = 0; seed < CUTS; seed++) {
        path = fresh();
        new PowerCut(disk, disk.position(), new Random(seed)).leave(path);
        path = path.resolve("store");
        final int left = intact().size();
        assertThat(left).as("killed at step %d, cut %d", step, seed).isBetween(3, 4);
        assertThat(format()).matches("sluice store [%s]\n".formatted(left == 3 ? "13" : "3"));
        PosixStore.create(path).close();
        assertThat(format()).isEqualTo("sluice store 3\n");
        assertThat(intact()).hasSize(left);
      }
    }
  }

  /** It has what a new one has, but for logs. */
  @Test
  void ofVersionTwoIsReadAsItIsAndBecomesANewOneWithItsFirstWriter() throws IOException {
    PosixStore.create(path).close();
    Files.writeString(path.resolve("format"), "sluice store 2\n");
    final List<Commit> commits = intact();
    assertThat(commits).hasSize(3);
    assertThat(format()).isEqualTo("sluice store 2\n");
    try (StoreFixture fixture = new StoreFixture(path, fresh())) {
      assertThat(format()).isEqualTo("sluice store 3\n");
      fixture.store().prepareCommits();
      fixture.logged("logged", 0, CONTENT).commit(6, 0);
    }
    assertThat(intact()).startsWith(commits.toArray(Commit[]::new)).hasSize(4);
  }

  /** By a newer Sluice, while this one has it open. */
  @Test
  void isLeftAloneOnceItIsNewer() throws IOException {
    try (StoreFixture fixture = new StoreFixture(path, fresh())) {
      Files.writeString(path.resolve("format"), "sluice store 5\n");
      final List<Path> before = checkpoints();
      assertThatThrownBy(() -> add(fixture, 6))
          .isInstanceOf(FormatVersionException.TooNew.class)
          .hasMessageContaining("has format version 5, newer than 4");
      assertThatThrownBy(() -> PosixStore.open(path))
          .isInstanceOf(FormatVersionException.TooNew.class);
      assertThat(checkpoints()).isEqualTo(before);
    }
  }

  private Path grown() throws IOException {
    final Path root = fresh();
    copyTo(root.resolve("store"));
    return root;
  }

  private String format() throws IOException {
    return Files.readString(path.resolve("format"));
  }

  private byte[] rebuilt(final PosixStore store, final Commit commit, final CommittedImage image)
      throws IOException {
    final Path target = Files.createTempFile(path.getParent(), "rebuilt", "");
    try (NativeFile file = NativeFile.open(target, Flag.WRITE)) {
      store.rebuild(commit, image, file);
    }
    return Files.readAllBytes(target);
  }

  /** Ten small writes and a large one, as the program made them. */
  private static byte[] expected(final long number, final CommittedImage image) {
    if (number == 5) {
      assertThat(image.path()).isEqualTo("notes-é.txt");
      return "ungroupé\n".getBytes(StandardCharsets.UTF_8);
    }
    final int rank = image.path().charAt("ckpt-3/rank-".length()) - '0';
    assertThat(image.path()).isEqualTo("ckpt-%d/rank-%d.dat", number, rank);
    final byte[] content = new byte[10_049];
    Arrays.fill(content, 0, 1045, (byte) (number * 16 + rank));
    Arrays.fill(content, 1045, 10_045, (byte) (number * 7 + rank));
    System.arraycopy("end\n".getBytes(), 0, content, 10_045, 4);
    return content;
  }

  /** Git keeps no empty directories. */
  private static void copyTo(final Path store) throws IOException {
    try (Stream<Path> tree = Files.walk(GOLDEN)) {
      tree.forEach(
          each -> {
            try {
              Files.copy(each, store.resolve(GOLDEN.relativize(each).toString()));
            } catch (final IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }
    Files.createDirectories(store.resolve("staging"));
  }
}
