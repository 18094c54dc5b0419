package org.sluice.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.command.CommandResult;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.PageCache;
import org.sluice.core.store.node.StoreFixture;

/** Many images, which threads rebuild beside each other. */
@Timeout(300)
class ParallelRebuildTest {
  private static final int IMAGES = 40;

  /** So long that small images behind it are done first; ends within a page and a block. */
  private static final int LONG = (16 << 20) + 123;

  private static final int SHORT = 5000;

  @TempDir private Path directory;
  private Path target;

  /** Image 2 is long, the others are short; every other one is in the log. */
  @BeforeEach
  void commit() throws IOException {
    target = directory.resolve("target");
    final Path captured = Files.createDirectory(directory.resolve("captured"));
    try (StoreFixture fixture = new StoreFixture(directory.resolve("store"), captured)) {
      for (int rank = 0; rank < IMAGES; rank++) {
        if (rank % 2 == 0) {
          fixture.filed(name(rank), rank, content(rank));
        } else {
          fixture.logged(name(rank), rank, content(rank));
        }
      }
      fixture.commit(1, IMAGES);
    }
  }

  @Test
  void allAreRestored() throws Exception {
    assertThat(restore().status()).isZero();
    assertAllRestored();
  }

  /** That of image 2 is met long after those of images 4 and 30. */
  @Test
  void ofSeveralDamagedTheFirstInOrderIsNamedAndNoFileIsTouched() throws Exception {
    for (final int damaged : List.of(30, 4, 2)) {
      flipLast(file(damaged));
    }
    for (int i = 0; i < 5; i++) {
      final CommandResult restore = restore();
      assertThat(restore.status()).isEqualTo(5);
      assertThat(restore.err())
          .startsWith("sluice restore: " + file(2) + " is damaged at offset " + (16 << 20))
          .doesNotContain("\n");
      assertThat(target).doesNotExist();
    }
    assertThat(restore("--rank", "3").status()).as("one that is intact").isZero();
    assertThat(target.resolve(name(3))).hasBinaryContent(content(3));
    final CommandResult four = restore("--rank", "4");
    assertThat(four.status()).isEqualTo(5);
    assertThat(four.err()).contains(file(4).toString());
  }

  /** Such a file is in memory neither before nor afterwards. */
  @Test
  void aLongFileThatIsNotInMemoryIsReadPastThePageCache() throws Exception {
    assumeFalse(isCached(evicted(file(2))), "this file system lies in memory");
    assertThat(restore().status()).isZero();
    assertThat(isCached(file(2))).isFalse();
    assertAllRestored();
    flipLast(file(2));
    evicted(file(2));
    final CommandResult damaged = restore("--force");
    assertThat(damaged.status()).isEqualTo(5);
    assertThat(damaged.err()).contains("at offset " + (16 << 20), "a block of 123 bytes");
    try (RandomAccessFile file = new RandomAccessFile(file(2).toFile(), "rw")) {
      file.setLength(LONG - 23);
    }
    evicted(file(2));
    assertThat(restore("--force").err()).contains("at offset " + (LONG - 23) + ": it is truncated");
  }

  /** Each of the pieces in which threads check that file finds it too short. */
  @Test
  void damageIsToldInTheOrderOfImagesAndOfAFileOnlyOnceItEnds() throws Exception {
    flipLast(file(30));
    try (RandomAccessFile file = new RandomAccessFile(file(2).toFile(), "rw")) {
      file.setLength(4 << 20);
    }
    for (int i = 0; i < 5; i++) {
      final CommandResult verify =
          CommandResult.of("verify", "--store", directory.resolve("store").toString());
      assertThat(verify.status()).isEqualTo(5);
      assertThat(verify.out().lines().skip(1))
          .satisfiesExactly(
              two -> assertThat(two).startsWith(file(2) + " is damaged at offset " + (4 << 20)),
              thirty -> assertThat(thirty).startsWith(file(30) + " is damaged"),
              last -> assertThat(last).isEqualTo("2 damaged places"));
    }
  }

  private void assertAllRestored() throws IOException {
    assertThat(files(target)).hasSize(IMAGES);
    for (int rank = 0; rank < IMAGES; rank++) {
      assertThat(target.resolve(name(rank))).hasBinaryContent(content(rank));
    }
  }

  private static String name(final int rank) {
    return "rank-" + rank;
  }

  private static byte[] content(final int rank) {
    final byte[] content = new byte[rank == 2 ? LONG : SHORT];
    new Random(rank).nextBytes(content);
    return content;
  }

  private Path file(final int image) throws IOException {
    try (Stream<Path> checkpoints = Files.list(directory.resolve("store/checkpoints"))) {
      return checkpoints.findFirst().orElseThrow().resolve("images/" + image);
    }
  }

  private static void flipLast(final Path path) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.seek(file.length() - 1);
      final int last = file.read();
      file.seek(file.length() - 1);
      file.write(last ^ 1);
    }
  }

  private static Path evicted(final Path path) throws IOException {
    try (NativeFile file = NativeFile.open(path, NativeFile.Flag.WRITE)) {
      file.sync();
      file.forget();
    }
    return path;
  }

  private static boolean isCached(final Path path) throws IOException {
    try (NativeFile file = NativeFile.open(path)) {
      return PageCache.hasMostOf(file);
    }
  }

  private CommandResult restore(final String... options) {
    final List<String> line =
        List.of(
            "restore", "--store", directory.resolve("store").toString(), "--to", target.toString());
    return CommandResult.of(
        Stream.concat(line.stream(), Stream.of(options)).toArray(String[]::new));
  }

  private static List<Path> files(final Path root) throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      return all.filter(Files::isRegularFile).toList();
    }
  }
}
