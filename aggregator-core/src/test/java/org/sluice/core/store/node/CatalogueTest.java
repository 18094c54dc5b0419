package org.sluice.core.store.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.core.chunk.ChunkBuilder;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileSource;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.segment.Layout;
import org.sluice.core.store.directory.ChangeCount;
import org.sluice.core.store.disk.Container;
import org.sluice.core.store.disk.Disk;
import org.sluice.core.store.format.SealedText;
import org.sluice.core.store.model.ChunkLocation;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommitSource;
import org.sluice.core.store.model.Completion;
import org.sluice.core.store.model.ImageAttributes;
import org.sluice.core.store.model.JobCoverage;
import org.sluice.core.store.model.Origin;
import org.sluice.core.store.model.RankSet;

/** What a process knows of a store is right, and does not cost more as the store grows. */
class CatalogueTest extends StoreTest {
  /** Counts what is done, and lets writes to the count of changes fail. */
  private static final class CountingDisk extends FailingLog {
    private int steps;
    private int lists;
    private boolean full;
    private boolean stuck;

    @Override
    public List<Path> list(final Path directory) throws IOException {
      lists++;
      return super.list(directory);
    }

    @Override
    public NativeFile open(final Path path, final NativeFile.Flag... flags) throws IOException {
      steps++;
      refuse(full, path);
      return super.open(path, flags);
    }

    @Override
    public void delete(final Path path, final FaultPoint point) throws IOException {
      steps++;
      refuse(stuck, path);
      super.delete(path, point);
    }

    @Override
    public void syncDirectory(final Path directory, final FaultPoint point) throws IOException {
      steps++;
      super.syncDirectory(directory, point);
    }

    private static void refuse(final boolean refused, final Path path) throws IOException {
      if (refused && path.endsWith(ChangeCount.NAME)) {
        throw new PosixException("change " + path, Errno.ENOSPC);
      }
    }
  }

  private final CountingDisk disk = new CountingDisk();

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aCommitCostsTheSameWithAHundredCheckpointsAsWithTen(final boolean prepared)
      throws IOException {
    try (PosixStore store = PosixStore.create(path, disk, false)) {
      final List<Integer> steps = new ArrayList<>();
      for (int number = 1; number <= 100; number++) {
        final int before = disk.steps;
        disk.lists = number == 10 ? 0 : disk.lists;
        if (prepared) {
          store.prepareCommits();
        }
        commitWithContainer(store, number);
        steps.add(disk.steps - before);
      }
      assertThat(disk.lists).as("directories listed").isZero();
      assertThat(steps.subList(10, 100)).containsOnly(steps.get(9));
      assertThat(store.commits()).hasSize(100);
    }
    assertThat(intact()).hasSize(100);
  }

  @Test
  void aRemovalAndACopyCostTheSameToo() throws IOException {
    try (StoreFixture fixture = new StoreFixture(path, fresh(), disk)) {
      final List<Commit> commits = new ArrayList<>();
      for (int number = 1; number <= 20; number++) {
        commits.add(add(fixture, number));
      }
      final NativeFile last = fixture.file();
      Files.write(Path.of(last.opened()), CONTENT);
      fixture.image("own", 2, CONTENT.length, last).commit(21, 0);
      disk.lists = 0;
      assertThat(last.links()).isEqualTo(2);
      fixture.store().unshare(last);
      assertThat(last.links()).isEqualTo(1);
      assertThat(fixture.store().remove(commits.getFirst())).isTrue();
      assertThat(disk.lists).isZero();
    }
    assertThat(intact()).hasSize(20);
  }

  @Test
  void sessionsInTurnsSeeWhatTheOtherDid() throws IOException {
    try (StoreFixture one = new StoreFixture(path, fresh());
        StoreFixture other = new StoreFixture(path, fresh())) {
      long sequence = 0;
      for (int turn = 0; turn < 6; turn++) {
        final StoreFixture next = turn % 2 == 0 ? one : other;
        assertThat(add(next, turn / 4).identity().sequence()).isEqualTo(++sequence);
      }
      assertThat(checkpoints()).as("superseded by the other session").hasSize(2);
      final Commit newest = one.store().newest().orElseThrow();
      assertThat(other.store().remove(newest)).isTrue();
      assertThat(add(one, 7).identity().sequence()).as("higher than any").isEqualTo(sequence - 1);
      assertThat(intact()).hasSize(2);
    }
  }

  /** Its time may have a resolution of some milliseconds. */
  @Test
  void whatLeavesNoTraceInTheDirectoryIsSeen() throws IOException {
    try (StoreFixture one = new StoreFixture(path, fresh());
        StoreFixture other = new StoreFixture(path, fresh())) {
      add(one, 1);
      final FileTime before = Files.getLastModifiedTime(path.resolve("checkpoints"));
      add(other, 1);
      Files.setLastModifiedTime(path.resolve("checkpoints"), before);
      assertThat(add(one, 1).identity().sequence()).isEqualTo(3);
      assertThat(checkpoints()).hasSize(1);
    }
  }

  @Test
  void noContainerIsTakenThatAnotherSessionHasCommitted() throws IOException {
    try (PosixStore one = PosixStore.create(path)) {
      commitWithContainer(one, 1);
      final Commit commit;
      try (StoreFixture other = new StoreFixture(path, fresh())) {
        commit = add(other, 1);
      }
      age();
      one.discardSpares();
      one.createContainer(StoreFixture.SESSION, "node1").close();
      assertThat(intact()).containsExactly(commit);
    }
  }

  /** As an older Sluice does, which has the store open still, and a user. */
  @Test
  void noContainerIsTakenThatCameWithoutACount() throws IOException {
    try (PosixStore one = PosixStore.create(path)) {
      final Commit commit;
      try (StoreFixture other = new StoreFixture(path, fresh())) {
        commit = add(other, 1);
      }
      final Path aside = path.resolveSibling("aside");
      Files.move(checkpoints().getFirst(), aside);
      one.createContainer(StoreFixture.SESSION, "node1").close();
      Files.move(aside, path.resolve("checkpoints").resolve(name(commit)));
      age();
      one.discardSpares();
      assertThat(intact()).containsExactly(commit);
    }
  }

  @Test
  void anOddCountIsEvenAgainBehindWhoeverFindsIt() throws IOException {
    try (StoreFixture one = new StoreFixture(path, fresh());
        StoreFixture other = new StoreFixture(path, fresh())) {
      add(one, 1);
      for (int kill = 0; kill < 3; kill++) {
        Files.write(path.resolve("changes"), SealedText.encode("%016x\n".formatted(count() + 1)));
        final long odd = count();
        assertThat(odd & 1).isOne();
        other.store().discardSpares();
        assertThat(count()).isEqualTo(odd + 1);
        add(kill % 2 == 0 ? one : other, 2 + kill);
        assertThat(count()).isGreaterThan(odd + 1).isEven();
      }
      assertThat(intact()).hasSize(4);
    }
  }

  /** What it left may not be durable. */
  @Test
  void theCountStaysOddBehindAFailedCommit() throws IOException {
    try (StoreFixture one = new StoreFixture(path, fresh(), disk)) {
      add(one, 1);
      disk.fail(() -> {});
      assertThatThrownBy(() -> add(one, 1)).isInstanceOf(PosixException.class);
      assertThat(count()).isOdd();
      disk.succeed();
      one.store().discardSpares();
      assertThat(count()).isEven();
      assertThat(intact()).hasSize(1);
    }
  }

  @Test
  void whatCannotBeCountedIsFoundAllTheSame() throws IOException {
    try (StoreFixture one = new StoreFixture(path, fresh(), disk);
        StoreFixture other = new StoreFixture(path, fresh())) {
      add(other, 1);
      disk.full = true;
      add(one, 2);
      assertThat(path.resolve("changes")).doesNotExist();
      assertThat(add(other, 1).identity().sequence()).isEqualTo(3);
      assertThat(add(one, 1).identity().sequence()).isEqualTo(4);
      disk.full = false;
      assertThat(add(one, 3).identity().sequence()).isEqualTo(5);
      assertThat(add(other, 4).identity().sequence()).isEqualTo(6);
      assertThat(intact()).extracting(Commit::number).containsExactly(2L, 1L, 3L, 4L);
    }
  }

  @Test
  void nothingChangesThatOthersCouldNotKnow() throws IOException {
    try (StoreFixture one = new StoreFixture(path, fresh(), disk)) {
      final Commit commit = add(one, 1);
      disk.full = true;
      disk.stuck = true;
      assertThatThrownBy(() -> add(one, 1)).hasMessageContaining("changes");
      assertThatThrownBy(() -> one.store().remove(commit)).hasMessageContaining("changes");
      assertThat(intact()).containsExactly(commit);
      disk.full = false;
      disk.stuck = false;
      assertThat(add(one, 1).identity().sequence()).isEqualTo(2);
      assertThat(checkpoints()).hasSize(1);
    }
  }

  @Test
  void aFlippedCountIsNone() throws IOException {
    try (StoreFixture fixture = new StoreFixture(path, fresh())) {
      add(fixture, 1);
    }
    final Path file = path.resolve("changes");
    final ChangeCount changes = new ChangeCount(path, Disk.REAL);
    final byte[] whole = Files.readAllBytes(file);
    assertThat(changes.read()).isEqualTo(count());
    for (int bit = 0; bit < whole.length * Byte.SIZE; bit++) {
      final byte[] flipped = whole.clone();
      flipped[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
      Files.write(file, flipped);
      assertThat(changes.read()).as("bit %d", bit).isEqualTo(ChangeCount.UNKNOWN);
    }
  }

  @Test
  void whateverLiesInPlaceOfTheCountOnlyCostsTime() throws IOException {
    try (StoreFixture fixture = new StoreFixture(path, fresh(), disk)) {
      add(fixture, 1);
      for (final String damage : List.of("", "none", "x".repeat(17), "0".repeat(16) + "\n")) {
        Files.writeString(path.resolve("changes"), damage);
        add(fixture, 1);
      }
      Files.delete(path.resolve("changes"));
      Files.createDirectory(path.resolve("changes"));
      add(fixture, 1);
      assertThat(path.resolve("changes")).as("deleted as it was in the way").isRegularFile();
      disk.lists = 0;
      add(fixture, 2);
      assertThat(disk.lists).isZero();
    }
    assertThat(intact()).hasSize(2);
  }

  private static void commitWithContainer(final PosixStore store, final long number)
      throws IOException {
    try (Container container = store.createContainer(StoreFixture.SESSION, "node1")) {
      final ChunkLocation chunk =
          StoreFixture.append(
              container,
              new ChunkBuilder(StoreFixture.CHUNK_LENGTH, StoreFixture.SESSION)
                  .write(1, 0, CONTENT));
      try (NativeFile own = store.createImageFile()) {
        store.commit(
            new Draft(
                number,
                "",
                new CommitSource("node1", "job", Origin.UNKNOWN, StoreFixture.SESSION),
                new JobCoverage(0, RankSet.NONE),
                Layout.CONTAINER,
                Completion.API,
                List.of(
                    new DraftImage(
                        new ImageAttributes("image", 0, 0, 0600, CONTENT.length, 1),
                        List.of(chunk),
                        FileSource.of(own),
                        false,
                        null))),
            durable -> {});
        Files.delete(Path.of(own.opened()));
      }
    }
  }

  private long count() throws IOException {
    return Long.parseUnsignedLong(
        SealedText.decode(Files.readAllBytes(path.resolve("changes"))).orElseThrow().strip(), 16);
  }

  private static String name(final Commit commit) {
    return "%010d-%016x".formatted(commit.number(), commit.id());
  }
}
