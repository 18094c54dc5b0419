package org.sluice.core.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.posix.Errno;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.PosixException;
import org.sluice.core.store.Leftover.Kind;

/** What is garbage and what is not, and that it is never half there. */
class GarbageTest {
  private static final byte[] CONTENT = new byte[5000];
  private static final int CUTS = 40;

  @TempDir(factory = InMemory.class)
  private Path root;

  private Path path;
  private int count;

  @BeforeEach
  void prepare() throws IOException {
    path = fresh().resolve("store");
  }

  @Test
  void aRemovalKilledAtAnyStepLeavesAllOfACheckpointOrNothing() throws IOException {
    for (int step = 0, steps = 0; step == steps; step++) {
      final LoggedDisk disk = new LoggedDisk(fresh());
      path = disk.directory().resolve("store");
      try (StoreFixture fixture = new StoreFixture(path, disk.directory(), disk)) {
        final Commit old = add(fixture, 1);
        final Commit newest = add(fixture, 2);
        disk.stopAt(disk.position() + step);
        steps += killed(() -> fixture.store().remove(old));
        disk.endProcess();
        assertThat(intact()).endsWith(newest).isSubsetOf(old, newest);
      }
      PosixStore.create(path, disk).close();
      assertThat(checkpoints()).as("killed at step %d", step).hasSize(intact().size());
    }
  }

  @Test
  void aCheckpointWhoseRemovalWasKilledDoesNotComeBackWithoutItsContainer() throws IOException {
    final LoggedDisk disk = new LoggedDisk(fresh());
    path = disk.directory().resolve("store");
    try (PosixStore live = PosixStore.create(path, disk);
        StoreFixture fixture = new StoreFixture(path, disk.directory(), disk)) {
      final Commit old = add(fixture, 1);
      disk.stopAfterDeletionOf("manifest.json");
      assertThat(killed(() -> fixture.store().remove(old))).isEqualTo(1);
      disk.endProcess();
      age();
      live.createContainer(StoreFixture.SESSION, "node1");
      assertThat(afterPowerCuts(disk)).allMatch(List::isEmpty);
    }
  }

  @Test
  void aCommitThatFailedDoesNotComeBackWithoutItsContainer() throws IOException {
    final LoggedDisk disk = new LoggedDisk(fresh());
    path = disk.directory().resolve("store");
    try (PosixStore live = PosixStore.create(path, disk)) {
      try (StoreFixture fixture = new StoreFixture(path, disk.directory(), disk)) {
        disk.failOnce(FaultPoint.COMMIT_FSYNC);
        assertThatThrownBy(() -> add(fixture, 1)).isInstanceOf(PosixException.class);
      }
      age();
      live.createContainer(StoreFixture.SESSION, "node1");
      assertThat(afterPowerCuts(disk)).allMatch(List::isEmpty);
    }
  }

  @Test
  void aCommitDeletesNoContainerOfACheckpointWhoseRemovalWasKilled() throws IOException {
    final LoggedDisk disk = new LoggedDisk(fresh());
    path = disk.directory().resolve("store");
    try (StoreFixture live = new StoreFixture(path, disk.directory(), disk)) {
      try (StoreFixture fixture = new StoreFixture(path, disk.directory(), disk)) {
        final Commit old = add(fixture, 1);
        disk.stopAfterDeletionOf("manifest.json");
        assertThat(killed(() -> fixture.store().remove(old))).isEqualTo(1);
        disk.endProcess();
      }
      age();
      live.filed("filed", 1, CONTENT).commit(2, 0);
      assertThat(afterPowerCuts(disk)).noneMatch(List::isEmpty);
    }
  }

  @Test
  void aFailedCommitIsTakenBackBesideOthers() throws Exception {
    final CountDownLatch deleting = new CountDownLatch(1);
    final CountDownLatch swept = new CountDownLatch(1);
    final Disk full =
        new Disk() {
          @Override
          void syncDirectory(final Path directory, final FaultPoint point) throws IOException {
            if (directory.endsWith("images")) {
              throw new PosixException("sync " + directory, Errno.ENOSPC);
            }
            super.syncDirectory(directory, point);
          }

          @Override
          void delete(final Path file, final FaultPoint point) throws IOException {
            super.delete(file, point);
            if (file.endsWith("manifest.tmp")) {
              deleting.countDown();
              await(swept);
            }
          }
        };
    final Disk other =
        new Disk() {
          @Override
          void syncDirectory(final Path directory, final FaultPoint point) throws IOException {
            if (point == FaultPoint.REMOVAL_FSYNC) {
              swept.countDown();
              awaitNone(directory);
            }
            super.syncDirectory(directory, point);
          }
        };
    try (StoreFixture fixture = new StoreFixture(path, fresh(), full);
        PosixStore beside = PosixStore.create(path, other)) {
      final CompletableFuture<Void> creation =
          CompletableFuture.runAsync(
              () -> {
                await(deleting);
                assertThatCode(() -> beside.createContainer(StoreFixture.SESSION, "node1").close())
                    .doesNotThrowAnyException();
              });
      assertThatThrownBy(() -> add(fixture, 1)).isInstanceOf(PosixException.class);
      creation.get();
    }
    assertThat(checkpoints()).isEmpty();
  }

  @Test
  void aFailedCommitThatCouldNotBeTakenBackIsGarbage() throws IOException {
    final AtomicBoolean readOnly = new AtomicBoolean();
    final Disk disk =
        new Disk() {
          @Override
          void syncDirectory(final Path directory, final FaultPoint point) throws IOException {
            readOnly.compareAndSet(false, directory.endsWith("images"));
            refuse(directory);
            super.syncDirectory(directory, point);
          }

          @Override
          void delete(final Path file, final FaultPoint point) throws IOException {
            refuse(file);
            super.delete(file, point);
          }

          private void refuse(final Path changed) throws IOException {
            if (readOnly.get()) {
              throw new PosixException("change " + changed, Errno.EROFS);
            }
          }
        };
    try (StoreFixture fixture = new StoreFixture(path, fresh(), disk)) {
      assertThatThrownBy(() -> add(fixture, 1)).isInstanceOf(PosixException.class);
      assertThat(checkpoints()).hasSize(1);
      readOnly.set(false);
      assertThat(collect(false)).extracting(Leftover::kind).containsExactly(Kind.UNFINISHED);
      assertThat(checkpoints()).isEmpty();
    }
  }

  private static void await(final CountDownLatch latch) {
    try {
      latch.await(1, TimeUnit.SECONDS);
    } catch (final InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void awaitNone(final Path directory) {
    for (int i = 0; i < 1000 && Files.exists(directory); i++) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void aCommitKilledAtAnyStepIsThereOrCleanedUp() throws IOException {
    for (int step = 0, steps = 0; step == steps; step++) {
      final LoggedDisk disk = new LoggedDisk(fresh());
      path = disk.directory().resolve("store");
      try (StoreFixture fixture = new StoreFixture(path, disk.directory(), disk)) {
        final Commit old = add(fixture, 1);
        fixture.logged("logged", 0, CONTENT).filed("filed", 1, CONTENT);
        disk.stopAt(disk.position() + step);
        steps += killed(() -> fixture.commit(2, 0));
        disk.endProcess();
        assertThat(intact()).startsWith(old);
      }
      PosixStore.create(path, disk).close();
      assertThat(checkpoints()).as("killed at step %d", step).hasSize(intact().size());
    }
  }

  /** It may have its name, but not durably yet, when somebody removes what is older. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void somethingIsThereWheneverACommitIsKilled(final int number) throws IOException {
    for (int step = 0, steps = 0; step == steps; step++) {
      final LoggedDisk disk = new LoggedDisk(fresh());
      path = disk.directory().resolve("store");
      try (PosixStore live = PosixStore.create(path, disk);
          StoreFixture fixture = new StoreFixture(path, disk.directory(), disk)) {
        add(fixture, 1);
        disk.stopAt(disk.position() + step);
        steps += killed(() -> add(fixture, number));
        disk.endProcess();
        live.collectGarbage(false, unreadable -> {});
        final List<Commit> commits = live.commits();
        for (final Commit older : commits.subList(0, commits.size() - 1)) {
          live.remove(older);
        }
        assertThat(afterPowerCuts(disk)).as("killed at step %d", step).noneMatch(List::isEmpty);
      }
    }
  }

  @Test
  void whoRemovesDoesNotCountOnACommitThatMayFail() throws Exception {
    final CompletableFuture<List<Commit>> seen = new CompletableFuture<>();
    final Disk failing =
        new Disk() {
          @Override
          void syncDirectory(final Path directory, final FaultPoint point) throws IOException {
            if (point == FaultPoint.COMMIT_FSYNC && checkpoints().size() > 1) {
              seen.completeAsync(GarbageTest.this::durable);
              LockSupport.parkNanos(100_000_000);
              throw new PosixException("sync " + directory, Errno.EIO);
            }
            super.syncDirectory(directory, point);
          }
        };
    try (StoreFixture fixture = new StoreFixture(path, fresh(), failing)) {
      final Commit old = add(fixture, 1);
      assertThatThrownBy(() -> add(fixture, 2)).isInstanceOf(PosixException.class);
      assertThat(seen.get()).containsExactly(old);
    }
  }

  private List<Commit> durable() {
    try (PosixStore store = PosixStore.open(path)) {
      return store.durableCommits(unreadable -> {});
    } catch (final IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aCommitUnderWayIsNobodysGarbage() throws IOException {
    final Disk busy =
        new Disk() {
          @Override
          void syncDirectory(final Path directory, final FaultPoint point) throws IOException {
            super.syncDirectory(directory, point);
            if (directory.endsWith("images")) {
              age();
              PosixStore.create(path).close();
              assertThat(collect(false)).isEmpty();
            }
          }
        };
    try (StoreFixture fixture = new StoreFixture(path, fresh(), busy)) {
      final Commit commit = add(fixture, 1);
      assertThat(intact()).containsExactly(commit);
    }
  }

  @Test
  void aFileOfAnImageIsGarbageOnceNobodyHasIt() throws IOException {
    try (PosixStore store = PosixStore.create(path)) {
      final NativeFile file = store.createImageFile();
      age();
      assertThat(collect(false)).as("open").isEmpty();
      file.close();
      store.renew();
      assertThat(collect(false)).as("a killed process may be resumed").isEmpty();
      age();
      assertThat(collect(false)).extracting(Leftover::kind).containsExactly(Kind.IMAGE);
      assertThat(file.opened()).doesNotExist();
    }
  }

  @Test
  void aSupersededCheckpointIsGarbageOnceNobodyReadsIt() throws IOException {
    try (StoreFixture fixture = new StoreFixture(path, fresh());
        PosixStore reader = PosixStore.open(path)) {
      final Commit old = add(fixture, 1);
      reader.whileHeld(
          old,
          () -> {
            add(fixture, 1);
            assertThat(collect(true)).isEmpty();
            assertThat(collect(false)).isEmpty();
          });
      assertThat(checkpoints()).hasSize(2);
      assertThat(collect(true)).extracting(Leftover::kind).containsExactly(Kind.SUPERSEDED);
      assertThat(collect(false)).extracting(Leftover::kind).containsExactly(Kind.SUPERSEDED);
      assertThat(checkpoints()).hasSize(1);
    }
  }

  @Test
  void removingACheckpointRemovesWhatItSuperseded() throws IOException {
    try (StoreFixture fixture = new StoreFixture(path, fresh());
        PosixStore reader = PosixStore.open(path)) {
      final Commit old = add(fixture, 1);
      final List<Commit> newer = new ArrayList<>();
      reader.whileHeld(old, () -> newer.add(add(fixture, 1)));
      reader.whileHeld(old, () -> assertThat(fixture.store().remove(newer.getFirst())).isFalse());
      assertThat(intact()).as("never the old one alone").containsExactly(newer.getFirst());
      assertThat(fixture.store().remove(newer.getFirst())).isTrue();
      assertThat(checkpoints()).isEmpty();
    }
  }

  @Test
  void aDryRunSaysTheSameAndRemovesNothing() throws IOException {
    try (StoreFixture fixture = new StoreFixture(path, fresh())) {
      add(fixture, 1);
    }
    final Path container = files("containers").getFirst();
    final Path manifest = checkpoints().getFirst().resolve("manifest.json");
    Files.delete(manifest);
    age();
    final List<Leftover> expected = collect(true);
    assertThat(expected)
        .extracting(Leftover::kind)
        .containsExactly(Kind.UNFINISHED, Kind.CONTAINER);
    assertThat(expected.getLast().bytes()).isEqualTo(Files.size(container));
    assertThat(container).exists();
    assertThat(collect(false)).isEqualTo(expected);
    assertThat(container).doesNotExist();
    assertThat(checkpoints()).isEmpty();
    assertThat(collect(false)).isEmpty();
  }

  @Test
  void containersStayWhileAManifestCannotBeRead() throws IOException {
    for (int number = 1; number <= 2; number++) {
      try (StoreFixture fixture = new StoreFixture(path, fresh())) {
        add(fixture, number);
      }
    }
    Files.writeString(checkpoints().getFirst().resolve("manifest.json"), "{}");
    age();
    final List<IOException> unreadable = new ArrayList<>();
    try (PosixStore store = PosixStore.open(path)) {
      assertThat(store.collectGarbage(false, unreadable::add)).isEmpty();
      assertThat(unreadable).hasSize(1);
      assertThat(files("containers")).hasSize(2);
      assertThat(store.numbers()).containsExactly(1L, 2L);
      final long damaged =
          Long.parseLong(checkpoints().getFirst().getFileName().toString(), 0, 10, 10);
      assertThat(store.removeUnreadable(damaged)).isTrue();
      assertThat(store.numbers()).containsExactly(3 - damaged);
      assertThat(intact()).hasSize(1);
    }
  }

  private static Commit add(final StoreFixture fixture, final long number) throws IOException {
    return fixture.logged("logged", 0, CONTENT).filed("filed", 1, CONTENT).commit(number, 0);
  }

  /** A step of a store that a process may be killed in. */
  @FunctionalInterface
  private interface Action {
    void run() throws IOException;
  }

  /** Returns 1 when it was killed, 0 when it got to its end. */
  private static int killed(final Action action) throws IOException {
    try {
      action.run();
      return 0;
    } catch (final LoggedDisk.Stopped killed) {
      return 1;
    }
  }

  /** What a restart sees, all of which it can restore. */
  private List<Commit> intact() throws IOException {
    try (PosixStore reader = PosixStore.open(path)) {
      final List<Commit> commits = reader.commits();
      for (final Commit commit : commits) {
        reader.verify(
            commit,
            damage -> {
              throw new AssertionError(damage);
            },
            bytes -> {});
      }
      return commits;
    }
  }

  /** What a restart sees when the power has failed, in some of the ways in which it can. */
  private List<List<Commit>> afterPowerCuts(final LoggedDisk disk) throws IOException {
    final List<List<Commit>> left = new ArrayList<>();
    for (int seed = 0; seed < CUTS; seed++) {
      final Path directory = fresh();
      new PowerCut(disk, disk.position(), new Random(seed)).leave(directory);
      path = directory.resolve("store");
      left.add(intact());
    }
    return left;
  }

  private List<Leftover> collect(final boolean dryRun) throws IOException {
    try (PosixStore store = PosixStore.open(path)) {
      return store.collectGarbage(
          dryRun,
          unreadable -> {
            throw new AssertionError(unreadable);
          });
    }
  }

  /** As if nobody had written to anything for long. */
  private void age() throws IOException {
    for (final String part : List.of("containers", "staging")) {
      for (final Path file : files(part)) {
        Files.setLastModifiedTime(file, FileTime.from(Instant.EPOCH));
      }
    }
  }

  private List<Path> checkpoints() throws IOException {
    return files("checkpoints");
  }

  private List<Path> files(final String part) throws IOException {
    try (Stream<Path> files = Files.list(path.resolve(part))) {
      return files.sorted().toList();
    }
  }

  private Path fresh() throws IOException {
    return Files.createDirectory(root.resolve(Integer.toString(count++)));
  }
}
