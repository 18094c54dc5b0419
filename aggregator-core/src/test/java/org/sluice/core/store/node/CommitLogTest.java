package org.sluice.core.store.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.libc.PosixException;
import org.sluice.core.store.disk.Disk;
import org.sluice.core.store.model.Commit;

/** Checkpoints that a record of a log commits, and whose directories follow. */
class CommitLogTest extends LoggedStoreTest {
  /** Of power cuts; 11 and 37 tear the record of a lap. */
  private static final int[] SEEDS = {0, 1, 2, 11, 37};

  private static final int CUTS = 500; // the 477th shows it

  @Test
  void aCommitWaitsForStorageTwice() throws IOException {
    try (StoreFixture fixture = prepared()) {
      for (int number = 1; number <= 3; number++) {
        fixture.logged("logged", 0, CONTENT);
        final long before = syncs();
        final AtomicLong told = new AtomicLong();
        fixture.commit(number, durable -> told.set(syncs()));
        assertThat(told.get() - before).as("syncs before it is told").isEqualTo(2);
        assertThat(syncs()).as("and behind that").isEqualTo(told.get());
        fixture.store().prepareCommits();
        assertThat(syncs()).as("its directory").isGreaterThan(told.get() + 3);
      }
    }
    assertThat(intact()).hasSize(3);
    assertThat(files("log")).isEmpty();
  }

  @Test
  void whatOnlyALogHasIsListedReadAndWrittenDown() throws IOException {
    final StoreFixture fixture = prepared();
    final Commit commit = logged(fixture, 1);
    kill(fixture);
    Disk.REAL.deleteAll(checkpoints().getFirst());
    assertThat(intact()).containsExactly(commit);
    try (PosixStore reader = PosixStore.open(path)) {
      assertThat(reader.numbers()).containsExactly(1L);
      assertThat(reader.find(1)).contains(commit);
      assertThat(reader.whileHeld(commit, () -> assertThat(reader.images(commit)).hasSize(1)))
          .isTrue();
      assertThat(reader.owners(commit)).hasSize(1);
    }
    assertThat(collect(true)).isEmpty();
    assertThat(checkpoints()).as("readers change nothing").isEmpty();
    PosixStore.create(path).close();
    assertThat(files("log")).isEmpty();
    assertThat(checkpoints()).hasSize(1);
    assertThat(intact()).containsExactly(commit);
  }

  @Test
  void whatCannotBeHeldMayBeRemovedWhileItIsRead() throws IOException {
    final StoreFixture fixture = prepared();
    final Commit commit = logged(fixture, 1);
    kill(fixture);
    Disk.REAL.deleteAll(checkpoints().getFirst());
    try (PosixStore reader = PosixStore.open(path);
        PosixStore writer = PosixStore.open(path)) {
      assertThat(
              reader.whileHeld(
                  commit,
                  () -> {
                    assertThat(writer.remove(commit)).isTrue();
                    age();
                    writer.discardSpares();
                    reader.overlay(
                        commit.source().sessionId(),
                        reader.images(commit).getFirst().chunks(),
                        null);
                  }))
          .isFalse();
    }
    assertThat(intact()).isEmpty();
  }

  @Test
  void theEndOfALogLeavesAManifestTheSameFile() throws IOException {
    final StoreFixture fixture = prepared();
    final Commit commit = logged(fixture, 1);
    kill(fixture);
    final Path manifest = checkpoints().getFirst().resolve("manifest.json");
    final Object before = Files.getAttribute(manifest, "unix:ino");
    final byte[] bytes = Files.readAllBytes(manifest);
    Files.write(manifest, new byte[bytes.length + 1]); // as a power cut may leave it
    PosixStore.create(path).close();
    assertThat(files("log")).isEmpty();
    assertThat(Files.getAttribute(manifest, "unix:ino")).isEqualTo(before);
    assertThat(manifest).hasBinaryContent(bytes);
    assertThat(intact()).containsExactly(commit);
  }

  @Test
  void whatIsReadIsNotRemovedByWhoEndsItsLog() throws IOException {
    final StoreFixture fixture = prepared();
    final Commit commit = logged(fixture, 1);
    kill(fixture);
    try (PosixStore reader = PosixStore.open(path)) {
      assertThat(
              reader.whileHeld(
                  commit,
                  () -> {
                    try (PosixStore writer = PosixStore.create(path)) {
                      assertThat(writer.remove(commit)).isFalse();
                    }
                  }))
          .isTrue();
    }
    assertThat(intact()).containsExactly(commit);
  }

  @Test
  void whatIsReadIsNotRemovedThoughASyncOfItHadFailed() throws IOException {
    try (StoreFixture fixture = prepared();
        PosixStore reader = PosixStore.open(path)) {
      final Commit commit = logged(fixture, 1);
      reader.whileHeld(
          commit,
          () -> {
            disk.stopAt(disk.position() + 1);
            assertThatThrownBy(() -> fixture.store().prepareCommits())
                .isInstanceOf(LoggedDisk.Stopped.class);
            disk.stopAt(Integer.MAX_VALUE);
            fixture.store().prepareCommits();
            assertThat(fixture.store().remove(commit)).isFalse();
          });
    }
  }

  @Test
  void aCommitWhoseRecordCannotBeStoredIsTakenBack() throws IOException {
    try (StoreFixture fixture = prepared()) {
      final Commit old = logged(fixture, 1);
      disk.failOnce(FaultPoint.LOG_FSYNC);
      assertThatThrownBy(() -> logged(fixture, 2)).isInstanceOf(PosixException.class);
      assertThat(intact()).containsExactly(old);
      assertThat(files("log")).as("given up").isEmpty();
      final Commit next = logged(fixture, 2);
      assertThat(intact()).containsExactly(old, next);
      fixture.store().prepareCommits();
      assertThat(files("log")).hasSize(1);
    }
    assertThat(intact()).hasSize(2);
  }

  @Test
  void anotherProcessEndsALogBeforeItRemovesWhatThatHas() throws IOException {
    final StoreFixture fixture = prepared();
    try (PosixStore other = PosixStore.open(path)) {
      final Commit first = logged(fixture, 1);
      final Commit second = logged(fixture, 2);
      assertThat(other.remove(first)).isTrue();
      assertThat(files("log")).isEmpty();
      assertThat(intact()).containsExactly(second);
      final Commit third = logged(fixture, 3);
      fixture.store().prepareCommits();
      final Commit fourth = logged(fixture, 4);
      assertThat(files("log")).hasSize(1);
      kill(fixture);
      assertThat(intact()).containsExactly(second, third, fourth);
    }
  }

  /** Its process was killed behind the deletion, or the sync of that has failed. */
  @Test
  void aLogWhoseDeletionIsNotDurableDoesNotComeBack() throws IOException {
    for (final boolean killed : new boolean[] {true, false}) {
      makeDisk();
      final StoreFixture fixture = prepared();
      final Commit removed = logged(fixture, 1);
      logged(fixture, 2);
      fixture.store().prepareCommits();
      if (killed) {
        disk.stopAfterLossOf(files("log").getFirst().getFileName().toString());
        assertThatThrownBy(fixture::close).isInstanceOf(LoggedDisk.Stopped.class);
        disk.endProcess();
      } else {
        disk.failOnce(FaultPoint.DIRECTORY_FSYNC);
        fixture.close();
      }
      assertThat(files("log")).isEmpty();
      try (PosixStore next = disk.createStore()) {
        assertThat(next.remove(removed)).isTrue();
      }
      final Path before = path;
      for (final int seed : SEEDS) {
        path = fresh();
        new PowerCut(disk, disk.position(), new Random(seed)).leave(path);
        path = path.resolve("store");
        assertThat(intact()).extracting(Commit::number).containsExactly(2L);
      }
      path = before;
    }
  }

  /** When another process deletes a file, NFS gives it another name while it is open. */
  @Test
  void nothingIsCommittedByALogThatHasLostItsName() throws IOException {
    try (StoreFixture fixture = prepared()) {
      final Path log = files("log").getFirst();
      disk.rename(log, log.resolveSibling(".nfs0001"), null);
      disk.syncDirectory(log.getParent(), null);
      logged(fixture, 1);
      for (final int seed : SEEDS) {
        path = fresh();
        new PowerCut(disk, disk.position(), new Random(seed)).leave(path);
        path = path.resolve("store");
        assertThat(intact()).hasSize(1);
      }
    }
  }

  @Test
  void aLogThatCannotBeEndedFailsNoCommit() throws IOException {
    final StoreFixture fixture = prepared();
    final List<Commit> commits = new ArrayList<>();
    for (int number = 1; number <= 5; number++) {
      commits.add(logged(fixture, number));
    }
    final Path index = checkpoints().getFirst().resolve("index");
    Files.delete(index);
    Files.createDirectory(index); // so that the log can begin no lap
    commits.add(logged(fixture, 6));
    assertThat(files("log")).as("one that makes way, and the next").hasSize(2);
    assertThatThrownBy(() -> fixture.store().remove(commits.getFirst()))
        .isInstanceOf(IOException.class);
    assertThat(intact()).isEqualTo(commits);
    Files.delete(index);
    assertThat(fixture.store().remove(commits.removeFirst())).isTrue();
    assertThat(files("log")).hasSize(1);
    assertThat(intact()).isEqualTo(commits);
    fixture.close();
  }

  @Test
  void aMarkOfIncompletenessOutlivesTheLog() throws IOException {
    final StoreFixture fixture = prepared();
    final Commit commit = logged(fixture, 1);
    final long before = syncs();
    fixture.store().markIncomplete(1, commit.id());
    assertThat(syncs()).as("the directory is durable first").isGreaterThan(before + 4);
    kill(fixture);
    PosixStore.create(path).close();
    assertThat(intact()).extracting(Commit::incomplete).containsExactly(true);
  }

  @Test
  void aLogIsUsedAgainFromItsFront() throws IOException {
    final List<Commit> commits = new ArrayList<>();
    final StoreFixture fixture = prepared();
    for (int number = 1; number <= 30; number++) {
      commits.add(logged(fixture, number));
      if (number % 7 == 0) {
        fixture.store().prepareCommits();
      }
      assertThat(intact()).isEqualTo(commits);
    }
    assertThat(files("log")).hasSize(1);
    assertThat(files("log").getFirst()).hasSize(disk.logLength());
    kill(fixture);
    assertThat(intact()).isEqualTo(commits);
  }

  /** A torn record takes any older ones, also the one that says that those do not count. */
  @Test
  void noLapThatIsCutShortLetsARemovedCheckpointComeBack() throws IOException {
    try (StoreFixture fixture = prepared()) {
      final Commit removed = logged(fixture, 1);
      fixture.store().prepareCommits();
      logged(fixture, 2);
      fixture.store().remove(removed);
      for (int i = 0; i < 180; i++) {
        fixture.logged("a-name-of-some-length/" + i, 0, new byte[1]);
      }
      final int before = disk.position();
      fixture.commit(3, 0);
      assertThat(files("log")).hasSize(1);
      for (int cut = before; cut <= disk.position(); cut++) {
        for (final int seed : SEEDS) {
          path = fresh();
          new PowerCut(disk, cut, new Random(seed)).leave(path);
          path = path.resolve("store");
          assertThat(intact()).extracting(Commit::number).doesNotContain(1L).contains(2L);
        }
      }
    }
  }

  @Test
  void anIndexThatIsTooLongForARecordIsAFileBefore() throws IOException {
    final StoreFixture fixture = prepared();
    for (int i = 0; i < 500; i++) {
      fixture.logged("a-name-of-some-length/" + i, 0, new byte[1]);
    }
    final int before = disk.position();
    final AtomicInteger told = new AtomicInteger();
    fixture.commit(1, durable -> told.set(disk.position()));
    assertThat(syncs(before, told.get()))
        .as("container, index, 2 directories, record")
        .isEqualTo(5);
    for (int cut = before; cut <= disk.position(); cut++) {
      final int least = cut < told.get() ? 0 : 1;
      for (final int seed : SEEDS) {
        assertThat(left(cut, seed)).as("cut %d", cut).hasSizeBetween(least, 1);
      }
    }
    kill(fixture);
    Disk.REAL.delete(checkpoints().getFirst().resolve("manifest.json"), null);
    assertThat(intact()).hasSize(1);
    PosixStore.create(path).close();
    assertThat(files("log")).isEmpty();
    assertThat(intact()).hasSize(1);
  }

  @Test
  void imagesOwnFilesAreDurableBeforeTheRecordThatCommitsThem() throws IOException {
    try (StoreFixture fixture = prepared()) {
      fixture.logged("logged", 0, CONTENT).filed("filed", 1, CONTENT);
      final int before = disk.position();
      final AtomicInteger told = new AtomicInteger();
      fixture.commit(1, durable -> told.set(disk.position()));
      assertThat(syncs(before, told.get()))
          .as("container, file, 3 directories, record")
          .isEqualTo(6);
      for (int cut = before; cut <= disk.position(); cut++) {
        final int least = cut < told.get() ? 0 : 1;
        for (final int seed : SEEDS) {
          assertThat(left(cut, seed)).as("cut %d", cut).hasSizeBetween(least, 1);
        }
      }
    }
  }

  /** The record may be on the disk, though its sync failed, and so may the log's name. */
  @Test
  void whatWasTakenBackDoesNotComeBackWithoutItsFiles() throws IOException {
    try (StoreFixture fixture = prepared()) {
      final Commit old = logged(fixture, 1);
      disk.failOnce(FaultPoint.LOG_FSYNC, FaultPoint.DIRECTORY_FSYNC);
      assertThatThrownBy(() -> add(fixture, 2)).isInstanceOf(PosixException.class);
      for (int seed = 0; seed < CUTS; seed++) {
        assertThat(left(disk.position(), seed)).as("seed %d", seed).containsExactly(old);
      }
    }
  }

  /** The intact checkpoints behind a power cut. */
  private List<Commit> left(final int cut, final int seed) throws IOException {
    final Path before = path;
    path = fresh();
    new PowerCut(disk, cut, new Random(seed)).leave(path);
    path = path.resolve("store");
    final List<Commit> left = intact();
    path = before;
    return left;
  }

  private long syncs(final int from, final int to) {
    return disk.log().all().subList(from, to).stream()
        .filter(DiskChange.Sync.class::isInstance)
        .count();
  }

  private long syncs() {
    return disk.log().all().stream().filter(DiskChange.Sync.class::isInstance).count();
  }
}
