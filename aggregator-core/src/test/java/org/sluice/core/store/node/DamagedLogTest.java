package org.sluice.core.store.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.core.store.disk.Disk;
import org.sluice.core.store.model.Commit;

/** A damaged record is named, costs no other checkpoint, and can be done without. */
class DamagedLogTest extends LoggedStoreTest {
  private static final int BLOCK = 4096;

  /** But for the last record, which looks like a torn one, and never passes for another. */
  @Test
  void everyFlippedBitOfARecordThatCountsIsNoticed() throws IOException {
    final StoreFixture fixture = prepared();
    logged(fixture, 1);
    logged(fixture, 2);
    logged(fixture, 3);
    kill(fixture);
    final List<Commit> commits = intact();
    for (final Path checkpoint : checkpoints()) {
      Disk.REAL.deleteAll(checkpoint);
    }
    final Path log = files("log").getFirst();
    for (int at = BLOCK; at < 4 * BLOCK; at += at % BLOCK < 700 ? 1 : 13) {
      final int bit = at % 8;
      flip(log, at, bit);
      final List<IOException> damage = new ArrayList<>();
      try (PosixStore reader = PosixStore.open(path)) {
        assertThat(reader.commits(damage::add)).isSubsetOf(commits);
      }
      if (at < 3 * BLOCK) {
        assertThat(damage).as("bit %d of byte %d", bit, at).isNotEmpty();
        assertThat(damage.getFirst()).hasMessageContaining(log.toString());
      } else {
        assertThat(damage).isEmpty();
      }
      flip(log, at, bit);
    }
    assertThat(intact()).isEqualTo(commits);
  }

  @Test
  void aDamagedLogStaysAndSoDoContainers() throws IOException {
    final StoreFixture fixture = prepared();
    logged(fixture, 1);
    logged(fixture, 2);
    kill(fixture);
    for (final Path checkpoint : checkpoints()) {
      Disk.REAL.deleteAll(checkpoint);
    }
    final Path log = files("log").getFirst();
    flip(log, BLOCK, 0);
    age();
    final List<Path> containers = files("containers");
    final List<IOException> damage = new ArrayList<>();
    try (PosixStore store = PosixStore.create(path)) {
      store.collectGarbage(false, damage::add);
      store.discardSpares();
    }
    assertThat(damage).hasSize(1);
    assertThat(log).exists();
    assertThat(files("containers")).isEqualTo(containers);
    assertThatThrownBy(this::intact).hasMessageContaining(log.toString());
  }

  /** A record that cannot be read for a while may name the files that a directory has. */
  @Test
  void filesThatARecordMayNameStay() throws IOException {
    final StoreFixture fixture = prepared();
    fixture.filed("filed", 0, CONTENT).commit(1, 0);
    logged(fixture, 2);
    final List<Commit> commits = intact();
    kill(fixture);
    final Path directory = checkpoints().getFirst(); // as before it followed the record
    Files.move(directory.resolve("manifest.json"), directory.resolve("manifest.tmp"));
    Files.delete(directory.resolve("index"));
    final Path log = files("log").getFirst();
    flip(log, BLOCK, 0);
    try (PosixStore store = PosixStore.create(path)) {
      assertThat(store.collectGarbage(false, told -> {})).isEmpty();
    }
    flip(log, BLOCK, 0);
    assertThat(intact()).isEqualTo(commits);
  }

  @Test
  void aDamagedRecordCostsNoOtherCheckpoint() throws IOException {
    final StoreFixture fixture = prepared();
    logged(fixture, 1);
    final Commit second = logged(fixture, 2);
    kill(fixture);
    for (final Path checkpoint : checkpoints()) {
      Disk.REAL.deleteAll(checkpoint);
    }
    final Path log = files("log").getFirst();
    flip(log, BLOCK, 0);
    final byte[] bytes = Files.readAllBytes(log);
    try (PosixStore store = PosixStore.create(path)) {
      assertThat(store.find(2)).contains(second);
      assertThatThrownBy(() -> store.find(1)).hasMessageContaining("gc --damaged-logs");
      final Leftover damaged =
          new Leftover(Leftover.Kind.LOG, "log/" + log.getFileName(), log.toString(), 0);
      assertThat(store.setAsideDamagedLogs(true)).containsExactly(damaged);
      assertThat(log).exists();
      assertThat(store.setAsideDamagedLogs(false)).containsExactly(damaged);
      assertThat(store.setAsideDamagedLogs(false)).isEmpty();
      assertThat(log.resolveSibling(log.getFileName() + ".damaged")).hasBinaryContent(bytes);
      assertThat(store.find(1)).isEmpty();
      store.collectGarbage(
          false,
          unreadable -> {
            throw new AssertionError(unreadable);
          });
    }
    assertThat(intact()).containsExactly(second);
  }

  @Test
  void aLogOfALiveProcessIsNotSetAside() throws IOException {
    try (StoreFixture fixture = prepared();
        PosixStore other = PosixStore.open(path)) {
      logged(fixture, 1);
      logged(fixture, 2);
      flip(files("log").getFirst(), BLOCK, 0);
      assertThat(other.setAsideDamagedLogs(false)).isEmpty();
    }
    assertThat(intact()).hasSize(2);
  }
}
