package org.sluice.core.store.node;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.posix.Extent;
import org.sluice.core.store.directory.CheckpointDirectory;
import org.sluice.core.store.directory.LeftAsFiles;
import org.sluice.core.store.format.SealedJson;
import org.sluice.core.store.format.SealedText;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.Pieces;

/**
 * Each file of a small store with any byte flipped, cut anywhere, longer, or deleted: what verify
 * looks at names it, unless the format says that it harms nothing.
 */
class EachByteTest {
  private static final byte[] CONTENT = "the bytes of an image".getBytes();

  /** Nothing but speed depends on it, and a reader never looks. */
  private static final String CHANGES = "changes";

  /** A cut of it looks like that of a crash, and no restart needs it. */
  private static final String WAVES = PosixReader.WAVES;

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
    for (final long wave : List.of(1L, 2L)) {
      final byte[] line = SealedJson.line(Map.of("what", "begun", "checkpoint", wave));
      Files.write(store.resolve(WAVES), line, CREATE, APPEND);
    }
    Files.write(store.resolve(PosixReader.COPIES), SealedText.encode("what became of copies\n"));
    Files.write(store.resolve(PosixReader.ENDED), SealedText.encode("7\n"));
    damage = new EachByte(store, () -> PosixStore.open(store));
    assertThat(damage.looks()).isEmpty();
  }

  @Test
  void eachFlippedByteIsNamed() throws IOException {
    // Older versions are read as this one.
    assertThat(damage.flipped().harmless()).isSubsetOf(CHANGES, "format", WAVES);
    assertThat(damage.tried()).isGreaterThan(2000);
  }

  @Test
  void eachCutIsNamed() throws IOException {
    assertThat(damage.cutAnywhere().harmless()).containsOnly(CHANGES, WAVES);
  }

  /** Nobody reads behind an image's end, nor behind the last chunk of a container. */
  @Test
  void aLongerFileIsNamedUnlessNobodyReadsItsEnd() throws IOException {
    assertThat(damage.grown().harmless())
        .allMatch(
            name ->
                name.matches(
                    "changes|mpi.log|containers/ID.data|checkpoints/.*/images/\\d(\\.\\d)?"));
  }

  @Test
  void whateverIsDeletedIsNamed() throws IOException {
    damage.delete();
    assertThat(damage.harmless()) // made anew
        .containsOnly(
            CHANGES, "node", "staging", "log", WAVES, PosixReader.COPIES, PosixReader.ENDED);
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
    log.flipped().cutAnywhere();
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

  /** But for its last newline, without which it is taken for cut. */
  @Test
  void eachFlippedByteOfTheLogOfWavesIsNamed() throws IOException {
    final Path log = store.resolve(WAVES);
    final byte[] whole = Files.readAllBytes(log);
    for (int at = 0; at < whole.length - 1; at++) {
      final byte[] flipped = whole.clone();
      flipped[at] ^= (byte) (1 << at % 8);
      Files.write(log, flipped);
      assertThat(damage.looks()).hasSize(1);
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
