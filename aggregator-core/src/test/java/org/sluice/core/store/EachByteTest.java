package org.sluice.core.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.fault.Fault.Step;

/**
 * Each file of a small store with any byte flipped, cut anywhere, or deleted: what verify looks at
 * names it, unless the format says that it harms nothing.
 */
class EachByteTest {
  private static final byte[] CONTENT = "the bytes of an image".getBytes();
  private static final int CUT = 13;
  private static final int ZEROS = 32;

  /** Nothing but speed depends on them, and a reader never looks. */
  private static final List<String> HARMLESS = List.of("changes");

  @TempDir(factory = InMemory.class)
  private Path directory;

  private Path store;

  @BeforeEach
  void commit() throws IOException {
    store = directory.resolve("store");
    try (StoreFixture fixture = new StoreFixture(store, directory)) {
      fixture.logged("logged", 0, CONTENT).filed("filed", 1, CONTENT).commit(1, 2);
      fixture.logged("logged", 0, CONTENT).filed("filed", 1, CONTENT).commit(2, 2);
      fixture.store().leftAsFiles(new LeftAsFiles("/some/where", 7));
    }
    assertThat(looks()).isEmpty();
  }

  @Test
  void eachFlippedByteIsNamed() throws IOException {
    int flips = 0;
    for (final Path file : files()) {
      final byte[] whole = Files.readAllBytes(file);
      for (int at = 0; at < whole.length; at++) {
        if (isWithinZeros(whole, at)) {
          continue;
        }
        final byte[] flipped = whole.clone();
        flipped[at] ^= (byte) (1 << at % 8);
        Files.write(file, flipped);
        if (!new String(flipped).matches("sluice store [12]\n")) { // older ones, read as this one
          expectNamed(file, "byte " + at);
        }
        flips++;
      }
      Files.write(file, whole);
    }
    assertThat(flips).isGreaterThan(2000);
    assertThat(looks()).isEmpty();
  }

  /** Of a long run of zeros some are tried. */
  private static boolean isWithinZeros(final byte[] bytes, final int at) {
    if (at % ZEROS == 0) {
      return false;
    }
    for (int i = Math.max(0, at - ZEROS); i <= at; i++) {
      if (bytes[i] != 0) {
        return false;
      }
    }
    return true;
  }

  @Test
  void eachCutIsNamed() throws IOException {
    for (final Path file : files()) {
      final byte[] whole = Files.readAllBytes(file);
      final int needed = whole.length;
      for (int length = needed - 1; length >= 0; length -= CUT) {
        Files.write(file, Arrays.copyOf(whole, length));
        expectNamed(file, "cut at " + length);
      }
      Files.write(file, whole);
    }
  }

  @Test
  void eachDeletedFileIsNamed() throws IOException {
    for (final Path file : files()) {
      if (file.endsWith("node") || file.endsWith("left-as-files")) {
        continue; // as before a node wrote it, or left any
      }
      final byte[] whole = Files.readAllBytes(file);
      Files.delete(file);
      expectNamed(file, "deleted");
      Files.write(file, whole);
    }
  }

  /** It becomes a draft first, so that a kill at any moment leaves nothing that is missed. */
  @Test
  void aRemovedCheckpointIsNotMissed() throws IOException {
    try (PosixStore opened = PosixStore.create(store)) {
      final CheckpointDirectory first = opened.directoryOf(opened.commits().getFirst());
      Files.move(first.manifest(), first.draft());
      assertThat(opened.lost()).isEmpty();
      Files.delete(first.index());
      Files.delete(first.draft());
      assertThat(opened.lost()).isEmpty();
    }
  }

  @Test
  void aDamagedMarkOfTheNodeIsMadeAnewWhereNoOtherNodeMayHaveTheStore() throws IOException {
    Files.writeString(store.resolve("node"), "{\"node\":\"x");
    PosixStore.create(store).close();
    assertThat(looks()).isEmpty();
  }

  @Test
  void directoriesThatACopyLacksAreMadeAgain() throws IOException {
    Files.delete(store.resolve("staging"));
    PosixStore.create(store).close();
    assertThat(store.resolve("staging")).isEmptyDirectory();
    assertThat(looks()).isEmpty();
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> all = Files.walk(store)) {
      return all.filter(Files::isRegularFile)
          .filter(file -> !HARMLESS.contains(file.getFileName().toString()))
          .sorted()
          .toList();
    }
  }

  private void expectNamed(final Path file, final String what) throws IOException {
    assertThat(looks())
        .as("%s of %s", what, store.relativize(file))
        .anyMatch(e -> e.getMessage().contains(file.toString()) || file.endsWith("format"));
  }

  /** What sluice verify does. */
  private List<IOException> looks() throws IOException {
    final List<IOException> damage = new ArrayList<>();
    final Step<IOException> looks =
        () -> {
          try (PosixStore opened = PosixStore.open(store)) {
            opened.verifyStore(damage::add);
            for (final Commit commit : opened.commits(damage::add)) {
              opened.verify(commit, damage::add, bytes -> {});
            }
          }
        };
    try {
      looks.run();
    } catch (final IOException e) {
      damage.add(e);
    }
    return damage;
  }
}
