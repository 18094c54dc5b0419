package org.sluice.core.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.posix.Extent;

/**
 * Each file of a small store with any byte flipped, cut anywhere, longer, or deleted: what verify
 * looks at names it, unless the format says that it harms nothing.
 */
class EachByteTest {
  private static final byte[] CONTENT = "the bytes of an image".getBytes();

  /** Nothing but speed depends on it, and a reader never looks. */
  private static final String CHANGES = "changes";

  @TempDir(factory = InMemory.class)
  private Path directory;

  private Path store;
  private EachByte damage;

  @BeforeEach
  void commit() throws IOException {
    store = directory.resolve("store");
    try (StoreFixture fixture = new StoreFixture(store, directory)) {
      fixture.logged("logged", 0, CONTENT).filed("filed", 1, CONTENT).commit(1, 2);
      final Commit second =
          fixture.logged("logged", 0, CONTENT).filed("filed", 1, CONTENT).commit(2, 2);
      fixture
          .filed("filed", 1, CONTENT)
          .goingOnFrom(second, 1, new Pieces(List.of(new Extent(1, 8))))
          .logged("logged", 0, CONTENT)
          .commit(3, 2);
      fixture.store().leftAsFiles(new LeftAsFiles("/some/where", 7));
    }
    damage = new EachByte(store, () -> PosixStore.open(store));
    assertThat(damage.looks()).isEmpty();
  }

  @Test
  void eachFlippedByteIsNamed() throws IOException {
    damage.flip();
    // Older versions are read as this one.
    assertThat(damage.silent()).isEmpty();
    assertThat(damage.harmless()).isSubsetOf(CHANGES, "format");
    assertThat(damage.tried()).isGreaterThan(2000);
  }

  @Test
  void eachCutIsNamed() throws IOException {
    damage.cut();
    assertThat(damage.silent()).isEmpty();
    assertThat(damage.harmless()).containsOnly(CHANGES);
  }

  /** Nobody reads behind an image's end, nor behind the last chunk of a container. */
  @Test
  void aLongerFileIsNamedUnlessNobodyReadsItsEnd() throws IOException {
    damage.grow();
    assertThat(damage.silent()).isEmpty();
    assertThat(damage.harmless())
        .allMatch(
            name -> name.matches("changes|containers/ID.data|checkpoints/.*/images/\\d(\\.\\d)?"));
  }

  @Test
  void whateverIsDeletedIsNamed() throws IOException {
    damage.delete();
    assertThat(damage.harmless()).containsOnly(CHANGES, "node", "staging"); // made anew
    assertThat(damage.silent())
        .allMatch(
            what ->
                what.matches("checkpoints/[^/]* deleted.*") // a checkpoint that is removed
                    || what.startsWith("left-as-files ")); // as where none were left
  }

  /** A killed process leaves its log, which wins over directories. */
  @Test
  void damageOfALogThatCountsIsNamed() throws IOException {
    final Path captured = Files.createDirectory(directory.resolve("captured"));
    final LoggedDisk disk = new LoggedDisk(captured);
    final Path killed = captured.resolve("killed");
    final StoreFixture fixture = new StoreFixture(killed, captured, disk);
    fixture.store().prepareCommits();
    for (int number = 1; number <= 3; number++) {
      fixture.logged("logged", 0, CONTENT).commit(number, 0);
    }
    disk.stopAt(disk.position());
    assertThatThrownBy(fixture::close).isInstanceOf(LoggedDisk.Stopped.class);
    disk.endProcess();
    final EachByte log = new EachByte(killed, () -> PosixStore.open(killed)).in("log").oneOf(11);
    log.flip();
    log.cut();
    assertThat(log.silent()).isEmpty();
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
    assertThat(damage.looks()).isEmpty();
  }

  @Test
  void directoriesThatACopyLacksAreMadeAgain() throws IOException {
    Files.delete(store.resolve("staging"));
    PosixStore.create(store).close();
    assertThat(store.resolve("staging")).isEmptyDirectory();
    assertThat(damage.looks()).isEmpty();
  }
}
