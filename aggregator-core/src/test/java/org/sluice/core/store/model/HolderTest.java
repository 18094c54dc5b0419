package org.sluice.core.store.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.chunk.ChunkBuilder;
import org.sluice.core.posix.Extent;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.store.node.InMemory;
import org.sluice.core.store.node.StoreFixture;

/**
 * Images that have bytes of earlier ones: what they hold, and what becomes of what they refer to.
 */
class HolderTest {
  private static final int PIECE = 1000; // no multiple of what file systems allocate
  private static final int PIECES = 12;
  private static final long SEED = 5;

  @TempDir(factory = InMemory.class)
  private Path directory;

  private final Random random = new Random(SEED);
  private final byte[] content = new byte[PIECES * PIECE];

  /**
   * The last of many is whole, however its pieces were written, and whatever became of the others.
   */
  @Test
  void imagesStayWholeWithoutTheCheckpointsThatHoldThem() throws IOException {
    try (StoreFixture fixture = fixture()) {
      random.nextBytes(content);
      Commit last = fixture.filed("state", 0, content).commit(1, 1);
      for (int number = 2; number < 9; number++) {
        last = change(fixture, last, number, number % 3 == 0);
        if (number % 2 == 0) {
          for (final Commit commit : fixture.store().commits(HolderTest::rethrow)) {
            if (commit.id() != last.id()) {
              assertThat(fixture.store().remove(commit)).isTrue();
            }
          }
          fixture.store().discardSpares();
        }
        assertThat(rebuilt(fixture, last)).isEqualTo(content);
        assertThat(damage(fixture, last)).isEmpty();
      }
      final CommittedImage image = fixture.store().images(last).getFirst();
      assertThat(image.holders()).isNotEmpty();
      assertThat(image.earlierBytes()).isEqualTo(image.heldByOthers().length()).isPositive();
    }
  }

  /** What another image holds is named by its file, wherever it is. */
  @Test
  void damageOfAHolderIsNamed() throws IOException {
    try (StoreFixture fixture = fixture()) {
      final Commit logged = fixture.logged("state", 0, content).commit(1, 1);
      final Commit first = change(fixture, logged, 2, true);
      spoil(directory.resolve("store/containers"), "data");
      assertThat(damage(fixture, first)).singleElement().asString().contains("containers");
      assertThatThrownBy(() -> rebuilt(fixture, first)).hasMessageContaining("containers");
      final Commit filed = fixture.filed("state", 0, content).commit(3, 1);
      final Commit second = change(fixture, filed, 4, true);
      spoil(directory.resolve("store/checkpoints"), "0.0");
      assertThat(damage(fixture, second)).singleElement().asString().contains("images/0.0");
      assertThatThrownBy(() -> rebuilt(fixture, second)).hasMessageContaining("images/0.0");
    }
  }

  @Test
  void nothingIsCommittedOnACheckpointThatIsGone() throws IOException {
    try (StoreFixture fixture = fixture()) {
      final Commit gone = fixture.logged("state", 0, content).commit(1, 1);
      fixture.logged("other", 0, content).commit(2, 1);
      fixture.logged("state", 0, new byte[1]).goingOnFrom(gone, 0, pieces(List.of(3)));
      fixture.store().remove(gone);
      assertThatThrownBy(() -> fixture.commit(3, 1)).hasMessageContaining("checkpoint 1");
      assertThat(fixture.store().find(3)).isEmpty();
    }
  }

  private StoreFixture fixture() throws IOException {
    return new StoreFixture(directory.resolve("store"), directory);
  }

  private static void rethrow(final IOException e) {
    throw new AssertionError(e);
  }

  /** Changes about a third of the pieces, and commits an image that has the others of the last. */
  private Commit change(
      final StoreFixture fixture, final Commit base, final int number, final boolean inFile)
      throws IOException {
    final List<Integer> same = new ArrayList<>();
    final NativeFile file = fixture.file();
    final ChunkBuilder chunk = fixture.chunk();
    try (RandomAccessFile own = new RandomAccessFile(file.opened(), "rw")) {
      for (int piece = 0; piece < PIECES; piece++) {
        if (random.nextInt(3) > 0) {
          same.add(piece);
          continue;
        }
        final byte[] bytes = new byte[PIECE];
        random.nextBytes(bytes);
        System.arraycopy(bytes, 0, content, piece * PIECE, PIECE);
        if (inFile) {
          own.seek((long) piece * PIECE);
          own.write(bytes);
        } else {
          chunk.write(fixture.nextImage(), (long) piece * PIECE, bytes);
        }
      }
    }
    final ChunkLocation[] chunks =
        inFile ? new ChunkLocation[0] : new ChunkLocation[] {fixture.append(chunk)};
    return fixture
        .image("state", 0, content.length, file, chunks)
        .goingOnFrom(base, 0, pieces(same))
        .commit(number, 1);
  }

  private static Pieces pieces(final List<Integer> numbers) {
    return new Pieces(
        numbers.stream().map(number -> new Extent((long) number * PIECE, PIECE)).toList());
  }

  private byte[] rebuilt(final StoreFixture fixture, final Commit commit) throws IOException {
    final CommittedImage image = fixture.store().images(commit).getFirst();
    final byte[] bytes = new byte[(int) image.size()];
    final RangeSet written = new RangeSet();
    try (Rebuilder rebuilder = fixture.store().rebuilder(commit, false)) {
      rebuilder.read(
          image,
          (address, length, offset) -> {
            assertThat(written.add(offset, offset + length))
                .as("each byte once")
                .containsExactly(new Extent(offset, length));
            new UnsafeBuffer(address, (int) length).getBytes(0, bytes, (int) offset, (int) length);
          });
    }
    return bytes;
  }

  private static List<IOException> damage(final StoreFixture fixture, final Commit commit)
      throws IOException {
    final List<IOException> damage = new ArrayList<>();
    fixture.store().verify(commit, damage::add, bytes -> {});
    return damage;
  }

  /** Changes a byte in the middle of each file with such a name. */
  private static void spoil(final Path folder, final String ending) throws IOException {
    final List<Path> files;
    try (var all = Files.walk(folder)) {
      files = all.filter(file -> file.toString().endsWith(ending)).toList();
    }
    for (final Path path : files) {
      try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
        final long at = ending.equals("data") ? 4096 + 600 : file.length() / 2;
        file.seek(at);
        final int old = file.read();
        file.seek(at);
        file.write(old ^ 1);
      }
    }
  }
}
