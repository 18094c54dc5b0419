package org.sluice.core.store.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.chunk.ChunkBuilder;
import org.sluice.core.chunk.Crc32c;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.store.format.IndexCodec;
import org.sluice.core.store.format.StoredFile;
import org.sluice.core.store.log.LogContent;
import org.sluice.core.store.model.ChunkLocation;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;

/** One checkpoint, damaged in every way; nothing of it may go unnoticed. */
class DamageTest {
  private static final int MOST_ZEROS = 64;
  private static final int STRIDE = 31;
  private static final int MANY = 60;
  private static final byte[] CONTENT = "the bytes of an image".getBytes();

  @TempDir(factory = InMemory.class)
  private Path directory;

  private Path store;
  private Path container;
  private Path index;
  private Path manifest;
  private Path imageFile;
  private int used;

  @BeforeEach
  void commit() throws IOException {
    store = directory.resolve("store");
    try (StoreFixture fixture = new StoreFixture(store, directory)) {
      fixture.logged("logged", 0, CONTENT).filed("filed", 1, CONTENT);
      final Commit commit = fixture.commit(1, 2);
      used = fixture.store().images(commit).getFirst().chunks().getFirst().used();
    }
    container = only(store.resolve("containers"));
    final Path checkpoint = only(store.resolve("checkpoints"));
    index = checkpoint.resolve("index");
    manifest = checkpoint.resolve("manifest.json");
    imageFile = checkpoint.resolve("images/1");
    assertThat(damage()).isEmpty();
  }

  @Test
  void everyFlippedBitOfTheManifestIsNoticed() throws IOException {
    everyFlipIsNoticed(manifest, 0, Files.size(manifest));
  }

  @Test
  void everyFlippedBitOfTheIndexIsNoticed() throws IOException {
    everyFlipIsNoticed(index, 0, Files.size(index));
  }

  @Test
  void everyFlippedBitOfAContainersHeaderIsNoticed() throws IOException {
    everyFlipIsNoticed(container, 0, 4096);
  }

  @Test
  void everyFlippedBitOfAChunkAndItsPaddingIsNoticed() throws IOException {
    assertThat(container).hasSize(8192);
    everyFlipIsNoticed(container, 4096, 8192);
  }

  /** But for those that make it an older version, which is read as this one. */
  @Test
  void everyFlippedBitOfTheFormatIsNoticed() throws IOException {
    final Path format = store.resolve("format");
    final byte[] whole = Files.readAllBytes(format);
    for (int bit = 0; bit < 8 * whole.length; bit++) {
      final byte[] flipped = whole.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      Files.write(format, flipped);
      if (new String(flipped).matches("sluice store [12]\n")) {
        assertThat(damage()).isEmpty();
        continue;
      }
      assertThatThrownBy(() -> PosixStore.open(store))
          .isInstanceOfAny(DamagedException.class, FormatVersionException.class)
          .hasMessageContaining(store.toString());
    }
  }

  @Test
  void everyFlippedBitOfAnImageFileIsNoticed() throws IOException {
    everyFlipIsNoticed(imageFile, 0, Files.size(imageFile));
  }

  @Test
  void everyTruncationIsNoticed() throws IOException {
    for (final Path file : List.of(manifest, index, imageFile)) {
      final byte[] whole = Files.readAllBytes(file);
      for (int length = whole.length - 1; length >= 0; length -= 7) {
        Files.write(file, Arrays.copyOf(whole, length));
        expectDamageOf(file);
      }
      Files.write(file, whole);
    }
    try (RandomAccessFile file = new RandomAccessFile(container.toFile(), "rw")) {
      for (int length = 4096 + used - 1; length >= 0; length -= 41) {
        file.setLength(length);
        expectDamageOf(container);
      }
    }
  }

  /** A record that is cut, if only within its padding, is none; those before it are. */
  @Test
  void aLogThatIsCutAnywhereHasWhatIsWhole() throws IOException {
    try (StoreFixture fixture = new StoreFixture(store, directory)) {
      fixture.store().prepareCommits();
      fixture.logged("logged", 0, CONTENT).commit(2, 0);
      for (int i = 0; i < MANY; i++) {
        fixture.logged("a-name-of-some-length/" + i, 0, CONTENT);
      }
      fixture.commit(3, 0);
      final Path log = only(store.resolve("log"));
      final byte[] whole = Files.readAllBytes(log);
      final int first = 4096 + LogContent.read(log).commits().getFirst().record().length();
      final int last = first + LogContent.read(log).commits().getLast().record().length();
      assertThat(last - first).as("blocks").isGreaterThan(4096);
      final Path cut = directory.resolve(log.getFileName());
      for (int length = 0; length <= last; length++) {
        Files.write(cut, Arrays.copyOf(whole, length));
        assertThat(LogContent.read(cut).commits())
            .as("cut at %d", length)
            .hasSize(length < first ? 0 : length < last ? 1 : 2);
      }
    }
  }

  @Test
  void bytesThatTheStorageDoesNotGiveBackAreDamage() throws IOException {
    try (NativeFile bad = NativeFile.open(Path.of("/proc/self/mem"));
        Arena arena = Arena.ofConfined()) {
      final long address = arena.allocate(8).address();
      assertThatThrownBy(() -> StoredFile.read(bad, address, 8, 0))
          .isInstanceOf(DamagedException.class)
          .hasMessageContaining("/proc/self/mem is damaged at offset 0: it cannot be read: EIO");
    }
  }

  @Test
  void filesSwappedBetweenCheckpointsAreDamage() throws IOException {
    final Path first = only(store.resolve("checkpoints"));
    try (StoreFixture fixture = new StoreFixture(store, directory)) {
      final byte[] other = "the bytes of others!!!".getBytes();
      fixture.logged("logged", 0, other).filed("filed", 1, other).commit(2, 2);
    }
    final List<Path> containers = entries(store.resolve("containers"));
    swapped(containers.getFirst(), containers.getLast());
    final Path second =
        entries(store.resolve("checkpoints")).stream()
            .filter(path -> !path.equals(first))
            .findFirst()
            .orElseThrow();
    for (final String name : List.of("index", "manifest.json", "images/1")) {
      swapped(first.resolve(name), second.resolve(name));
    }
    assertThat(damage()).isEmpty();
  }

  private void swapped(final Path one, final Path other) throws IOException {
    exchange(one, other);
    assertThat(damage())
        .hasSize(2)
        .anyMatch(e -> e.getMessage().contains(one.toString()))
        .anyMatch(e -> e.getMessage().contains(other.toString()));
    assertThatThrownBy(this::restore).isInstanceOf(DamagedException.class);
    exchange(one, other);
  }

  private static void exchange(final Path one, final Path other) throws IOException {
    final Path aside = one.resolveSibling("aside");
    Files.move(one, aside);
    Files.move(other, one);
    Files.move(aside, other);
  }

  @Test
  void missingFilesAreDamage() throws IOException {
    for (final Path file : List.of(imageFile, container, index)) {
      final byte[] own = Files.readAllBytes(file);
      Files.delete(file);
      expectDamageOf(file);
      Files.write(file, own);
    }
  }

  @Test
  void foreignFilesAreNamed() throws IOException {
    final byte[] foreign = "#!/bin/sh\n".repeat(1000).getBytes();
    for (final Path file : List.of(imageFile, container, index, manifest)) {
      final byte[] own = Files.readAllBytes(file);
      Files.write(file, foreign);
      expectDamageOf(file);
      Files.write(file, own);
    }
  }

  @Test
  void aFileOfAnotherCommitIsDamage() throws IOException {
    final Path other = directory.resolve("other");
    try (StoreFixture fixture = new StoreFixture(other, directory)) {
      fixture.logged("logged", 0, CONTENT).filed("filed", 1, CONTENT).commit(1, 2);
    }
    final Path otherCheckpoint = only(other.resolve("checkpoints"));
    for (final Path file : List.of(index, manifest)) {
      final byte[] own = Files.readAllBytes(file);
      Files.write(file, Files.readAllBytes(otherCheckpoint.resolve(file.getFileName())));
      expectDamageOf(file);
      Files.write(file, own);
    }
    Files.write(container, Files.readAllBytes(only(other.resolve("containers"))));
    expectDamageOf(container);
  }

  @Test
  void aChunkInTheWrongPlaceIsDamage() throws IOException {
    try (StoreFixture fixture = new StoreFixture(store, directory)) {
      final ChunkBuilder chunk = fixture.chunk().write(fixture.nextImage(), 0, CONTENT);
      final ChunkLocation first = fixture.append(chunk);
      final ChunkLocation second = fixture.append(chunk);
      fixture.image("twice", 0, CONTENT.length, fixture.file(), first, second).commit(2, 1);
      final Path file = store.resolve("containers/%016x.data".formatted(fixture.container().id()));
      final byte[] chunks = Files.readAllBytes(file);
      System.arraycopy(chunks, 8192, chunks, 4096, 4096);
      Files.write(file, chunks);
      expectDamageOf(file);
    }
  }

  @Test
  void anotherVersionIsNoDamage() throws IOException {
    try (PosixStore opened = PosixStore.open(store)) {
      final Commit commit = opened.commits().getFirst();
      final byte[] bytes = Files.readAllBytes(index);
      bytes[8] = IndexCodec.VERSION + 1;
      final UnsafeBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(bytes.length));
      buffer.putBytes(0, bytes);
      final int crc = Crc32c.of(buffer, 0, bytes.length - 4);
      buffer.putInt(bytes.length - 4, crc);
      buffer.getBytes(0, bytes);
      Files.write(index, bytes);
      assertThatThrownBy(() -> opened.images(commit))
          .isInstanceOf(FormatVersionException.class)
          .hasMessageContaining(index.toString());
    }
  }

  /** A bit of each byte; within padding of some, up to the last. */
  private void everyFlipIsNoticed(final Path path, final long from, final long to)
      throws IOException {
    int zeros = 0;
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      for (long position = from; position < to; position++) {
        file.seek(position);
        final int original = file.read();
        zeros = original == 0 ? zeros + 1 : 0;
        if (zeros > MOST_ZEROS && (to - 1 - position) % STRIDE != 0) {
          continue;
        }
        file.seek(position);
        file.write(original ^ 1 << position % 8);
        expectDamageOf(path);
        file.seek(position);
        file.write(original);
      }
    }
    assertThat(damage()).isEmpty();
  }

  /** Both verify and restore notice, and name the file. */
  private void expectDamageOf(final Path file) throws IOException {
    assertThat(damage()).isNotEmpty().allMatch(e -> e.getMessage().contains(file.toString()));
    assertThatThrownBy(this::restore)
        .isInstanceOf(DamagedException.class)
        .hasMessageContaining(file.toString());
  }

  private List<IOException> damage() throws IOException {
    final List<IOException> damage = new ArrayList<>();
    try (PosixStore opened = PosixStore.open(store)) {
      for (final Commit commit : opened.commits(damage::add)) {
        opened.verify(commit, damage::add, bytes -> {});
      }
    }
    return damage;
  }

  private void restore() throws IOException {
    try (PosixStore opened = PosixStore.open(store)) {
      for (final Commit commit : opened.commits()) {
        for (final CommittedImage image : opened.images(commit)) {
          final Path target = directory.resolve("target");
          try (NativeFile file = NativeFile.open(target, Flag.WRITE, Flag.CREATE, Flag.TRUNCATE)) {
            opened.rebuild(commit, image, file);
          }
        }
      }
    }
  }

  private static Path only(final Path parent) throws IOException {
    return entries(parent).getFirst();
  }

  private static List<Path> entries(final Path parent) throws IOException {
    try (Stream<Path> entries = Files.list(parent)) {
      return entries.toList();
    }
  }
}
