package org.sluice.core.store.parts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.store.log.StoredPart;
import org.sluice.core.store.model.Block;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.OutOfOrderException;
import org.sluice.core.store.model.RankSet;
import org.sluice.core.store.model.Rebuilder;
import org.sluice.core.store.node.StoreFixture;
import org.sluice.core.store.objects.DirectoryEngine;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.objects.Upload;
import org.sluice.core.store.series.PartKey;
import org.sluice.core.store.series.PartReader;

/** Parts at an engine, whose objects are files here so that they can be looked at. */
class PartCopyTest {
  private static final PartKey KEY = new PartKey(7, 1, 2, "b17", 0, RankSet.of(IntStream.of(0)));
  private static final int LARGE = (20 << 20) + 12345;

  @TempDir private Path directory;
  private StoreFixture fixture;
  private Path objects;
  private Engine engine;

  @BeforeEach
  void make() throws IOException {
    fixture = new StoreFixture(directory.resolve("store"), directory);
    objects = Files.createDirectory(directory.resolve("objects"));
    engine = DirectoryEngine.of(objects);
  }

  @AfterEach
  void close() throws IOException {
    fixture.close();
  }

  private static byte[] bytes(final int length) {
    final byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  /** Two of whose bytes are logged over what its own file has, and which has a hole. */
  private Commit commit() throws IOException {
    fixture.logged("logged", 0, bytes(5000)).filed("filed", 0, bytes(LARGE));
    final NativeFile file = fixture.file();
    final int id = fixture.nextImage();
    Files.write(Path.of(file.opened()), bytes(10_000));
    file.truncate(50 << 20);
    fixture.image(
        "both",
        0,
        50 << 20,
        file,
        fixture.append(fixture.chunk().write(id, 4000, (byte) 1).write(id, 49 << 20, (byte) 2)),
        fixture.append(fixture.chunk().direct(id, 0, 100).write(id, 50, (byte) 3)));
    return fixture.image("empty", 0, 0, fixture.file()).commit(7, 1);
  }

  private StoredPart copy(final Commit commit) throws IOException {
    return PartCopy.copy(
        fixture.store(), commit, engine, new ObjectStream(KEY, Upload.PIECE), bytes -> {});
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.walk(objects)) {
      return files.filter(Files::isRegularFile).sorted().toList();
    }
  }

  private Path object(final int number) {
    return objects.resolve("data/1-b17/0000000007-2/" + number);
  }

  private byte[] local(final Commit commit, final CommittedImage image) throws IOException {
    try (Rebuilder rebuilder = fixture.store().rebuilder(commit, false)) {
      return rebuilt(rebuilder, image);
    }
  }

  private byte[] rebuilt(final Rebuilder rebuilder, final CommittedImage image) throws IOException {
    final Path path = Files.createTempFile(directory, "rebuilt", "");
    try (NativeFile target = NativeFile.open(path, Flag.WRITE)) {
      rebuilder.rebuild(image, target);
    }
    return Files.readAllBytes(path);
  }

  private PartReader.Part open(final StoredPart part, final int object) throws IOException {
    return ObjectParts.open(engine, new ObjectStream(KEY, object), part);
  }

  @Test
  void anImageWhoseLoggedBytesCameFirstIsReadInNoOrder() throws IOException {
    final StoredPart part = copy(commit());
    final List<String> refused = new ArrayList<>();
    try (Rebuilder rebuilder = open(part, Upload.PIECE).rebuilder(false)) {
      for (final CommittedImage image : part.images()) {
        final AtomicLong end = new AtomicLong();
        try {
          rebuilder.readInOrder(
              image,
              (address, length, offset) -> {
                assertThat(offset).isGreaterThanOrEqualTo(end.get());
                end.set(offset + length);
              });
        } catch (final OutOfOrderException e) {
          assertThat(end.get()).isZero();
          refused.add(image.path());
        }
      }
    }
    assertThat(refused).hasSize(1).first().asString().endsWith("both");
  }

  @Test
  void imagesComeBackFromTheirObjects() throws IOException {
    final Commit commit = commit();
    final StoredPart copied = copy(commit);
    final StoredPart part = StoredPart.decode("part", copied.encode());
    assertThat(part).isEqualTo(copied);
    final long all = part.images().stream().mapToLong(PartCopyTest::length).sum();
    assertThat(all).isLessThan(LARGE + (2 << 20));
    assertThat(files()).containsExactly(object(0), object(1), object(2));
    assertThat(Files.size(object(0)) + Files.size(object(1)) + Files.size(object(2)))
        .isEqualTo(all);
    for (final boolean oneOfSeveral : List.of(true, false)) {
      try (Rebuilder rebuilder = open(part, Upload.PIECE).rebuilder(oneOfSeveral)) {
        for (final CommittedImage image : part.images().reversed()) {
          final CommittedImage own = fixture.store().images(commit).get(image.ordinal());
          assertThat(image.chunks()).isEmpty();
          assertThat(rebuilt(rebuilder, image)).isEqualTo(local(commit, own));
        }
      }
    }
    assertThat(damage(part)).isEmpty();
  }

  @Test
  void whatWasLoggedLiesOverTheOwnFile() throws IOException {
    final StoredPart part = copy(commit());
    final CommittedImage both = image(part, "both");
    final byte[] expected = Arrays.copyOf(bytes(10_000), 50 << 20);
    expected[4000] = 1;
    expected[49 << 20] = 2;
    expected[50] = 3;
    try (Rebuilder rebuilder = open(part, Upload.PIECE).rebuilder(false)) {
      assertThat(rebuilt(rebuilder, both)).isEqualTo(expected);
    }
    assertThat(length(both)).as("each byte once").isBetween(10_001L, 12_289L);
  }

  private static CommittedImage image(final StoredPart part, final String path) {
    return part.images().stream()
        .filter(image -> image.path().equals(path))
        .findFirst()
        .orElseThrow();
  }

  private static long length(final CommittedImage image) {
    return image.blocks().stream().mapToLong(Block::length).sum();
  }

  private List<String> damage(final StoredPart part) throws IOException {
    final List<String> damage = new ArrayList<>();
    final long[] progress = new long[1];
    open(part, Upload.PIECE).verify(e -> damage.add(e.getMessage()), n -> progress[0] += n);
    assertThat(damage.isEmpty())
        .isEqualTo(progress[0] == part.images().stream().mapToLong(PartCopyTest::length).sum());
    return damage;
  }

  /** Counts what is asked for. */
  private static Engine counting(final Engine engine, final AtomicLong bytes) {
    return (Engine)
        Proxy.newProxyInstance(
            Engine.class.getClassLoader(),
            new Class<?>[] {Engine.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("get")) {
                bytes.addAndGet(((ByteBuffer) arguments[2]).remaining());
              }
              return method.invoke(engine, arguments);
            });
  }

  @Test
  void noByteIsReadOfOtherImages() throws IOException {
    final StoredPart part = copy(commit());
    for (final CommittedImage image : part.images()) {
      final AtomicLong asked = new AtomicLong();
      try (Rebuilder rebuilder =
          ObjectParts.open(counting(engine, asked), new ObjectStream(KEY, Upload.PIECE), part)
              .rebuilder(false)) {
        rebuilt(rebuilder, image);
      }
      assertThat(asked.get()).isEqualTo(length(image));
    }
  }

  @Test
  void aCheckpointWithoutBytesHasNoObject() throws IOException {
    final Commit commit = fixture.image("empty", 0, 1000, fixture.file()).commit(7, 1);
    final StoredPart part = copy(commit);
    assertThat(files()).isEmpty();
    try (Rebuilder rebuilder = open(part, Upload.PIECE).rebuilder(false)) {
      assertThat(rebuilt(rebuilder, part.images().getFirst())).isEqualTo(new byte[1000]);
    }
  }

  @Test
  void anObjectThatEndsWithAPieceIsFollowedByNothing() throws IOException {
    final StoredPart part = copy(fixture.filed("a", 0, bytes(2 * Upload.PIECE)).commit(7, 1));
    assertThat(files()).containsExactly(object(0), object(1));
    assertThat(damage(part)).isEmpty();
  }

  @Test
  void thePaceIsAskedBeforeEachPiece() throws IOException {
    final List<Long> pieces = new ArrayList<>();
    PartCopy.copy(fixture.store(), commit(), engine, KEY, pieces::add);
    assertThat(pieces).startsWith((long) Upload.PIECE, (long) Upload.PIECE).hasSize(3);
    assertThat(files()).containsExactly(object(0));
    assertThat(pieces.stream().mapToLong(Long::longValue).sum()).isEqualTo(Files.size(object(0)));
  }

  @Test
  void aCopyThatWasStoppedIsMadeAgainWithTheSameBytes() throws IOException {
    final Commit commit = commit();
    for (int left = 0; left < 3; left++) {
      final int[] pieces = {left};
      assertThatThrownBy(
              () ->
                  PartCopy.copy(
                      fixture.store(),
                      commit,
                      engine,
                      new ObjectStream(KEY, Upload.PIECE),
                      bytes -> {
                        if (pieces[0]-- == 0) {
                          throw new IOException("stopped");
                        }
                      }))
          .hasMessage("stopped");
      assertThat(files()).hasSize(left);
    }
    assertThat(damage(copy(commit))).isEmpty();
    assertThat(copy(commit)).isEqualTo(copy(commit));
  }

  /** A bucket would keep its pieces. */
  @Test
  void anUploadIsGivenUpWithTheCopy() throws IOException {
    final List<Upload> open = new ArrayList<>();
    final Engine watched =
        (Engine)
            Proxy.newProxyInstance(
                Engine.class.getClassLoader(),
                new Class<?>[] {Engine.class},
                (proxy, method, arguments) -> watched(engine.upload((String) arguments[0]), open));
    final int[] pieces = {1};
    assertThatThrownBy(
            () ->
                PartCopy.copy(
                    fixture.store(),
                    commit(),
                    watched,
                    KEY,
                    bytes -> {
                      if (pieces[0]-- == 0) {
                        assertThat(open).hasSize(1);
                        throw new IOException("stopped");
                      }
                    }))
        .hasMessage("stopped");
    assertThat(open).isEmpty();
  }

  private static Upload watched(final Upload upload, final List<Upload> open) {
    open.add(upload);
    return (Upload)
        Proxy.newProxyInstance(
            Upload.class.getClassLoader(),
            new Class<?>[] {Upload.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("close")) {
                open.remove(upload);
              }
              return method.invoke(upload, arguments);
            });
  }

  @Test
  void whatWasRemovedIsNotCopied() throws IOException {
    final Commit commit = commit();
    fixture.logged("later", 0, bytes(10)).commit(8, 1);
    assertThat(fixture.store().remove(commit)).isTrue();
    assertThatThrownBy(() -> copy(commit)).isInstanceOf(NoSuchFileException.class);
    assertThat(files()).isEmpty();
  }

  @Test
  void damagedBytesAreNotCopied() throws IOException {
    final Commit commit = commit();
    try (Stream<Path> own = Files.list(directory)) {
      for (final Path file :
          own.filter(path -> path.getFileName().toString().startsWith("own")).toList()) {
        if (Files.size(file) == LARGE) {
          flip(file, 15 << 20);
        }
      }
    }
    assertThatThrownBy(() -> copy(commit)).isInstanceOf(DamagedException.class);
  }

  private static void flip(final Path file, final int at) throws IOException {
    final byte[] content = Files.readAllBytes(file);
    content[at] ^= 1;
    Files.write(file, content);
  }

  @Test
  void damageIsToldByObjectAndOffset() throws IOException {
    final StoredPart part = copy(commit());
    flip(object(1), (3 << 20) + 17);
    assertThat(damage(part))
        .singleElement()
        .asString()
        .contains(object(1).toString(), "the crc of a block of 1048576 bytes does not match");
    assertUnreadable(part, "filed");
  }

  private void assertUnreadable(final StoredPart part, final String path) throws IOException {
    try (Rebuilder rebuilder = open(part, Upload.PIECE).rebuilder(false)) {
      assertThatThrownBy(() -> rebuilt(rebuilder, image(part, path)))
          .isInstanceOf(DamagedException.class);
    }
  }

  @Test
  void anObjectThatIsCutOrMissingIsDamage() throws IOException {
    final StoredPart part = copy(commit());
    final byte[] content = Files.readAllBytes(object(1));
    Files.write(object(1), Arrays.copyOf(content, 5000), StandardOpenOption.TRUNCATE_EXISTING);
    assertThat(damage(part)).isNotEmpty().allMatch(one -> one.contains("it is truncated"));
    assertThat(damage(part).getFirst()).contains(object(1) + " is damaged at offset 5000");
    assertUnreadable(part, "filed");
    Files.delete(object(1));
    assertThat(damage(part)).isNotEmpty().allMatch(one -> one.contains("the object is missing"));
    assertUnreadable(part, "filed");
  }

  @Test
  void aPartOfADirectoryIsNoneOfObjects() throws IOException {
    final Commit commit = commit();
    final StoredPart part = new StoredPart(commit, fixture.store().images(commit));
    assertThatThrownBy(() -> open(part, Upload.PIECE))
        .isInstanceOf(DamagedException.class)
        .hasMessageContaining("it names chunks");
  }
}
