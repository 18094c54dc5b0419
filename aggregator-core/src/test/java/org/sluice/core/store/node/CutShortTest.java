package org.sluice.core.store.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.store.directory.ChangeCount;
import org.sluice.core.store.disk.Disk;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.node.Leftover.Kind;

/** Commits and removals that a kill or a fault cuts short, and the power cut behind it. */
@Timeout(300)
class CutShortTest extends StoreTest {
  private static final int CUTS = 10;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRemovalKilledAtAnyStepLeavesAllOfACheckpointOrNothing(final boolean logged)
      throws IOException {
    for (int step = 0, steps = 0; step == steps; step++) {
      final LoggedDisk disk = freshDisk();
      try (StoreFixture fixture = new StoreFixture(path, disk.directory(), disk)) {
        final Commit old = add(fixture, 1, logged);
        final Commit newest = add(fixture, 2, logged);
        disk.stopAt(disk.position() + step);
        steps += killed(() -> fixture.store().remove(old));
        disk.endProcess();
        assertThat(intact()).endsWith(newest).isSubsetOf(old, newest);
      }
      PosixStore.create(path, disk, false).close();
      assertThat(checkpoints()).as("killed at step %d", step).hasSize(intact().size());
    }
  }

  @Test
  void aCheckpointWhoseRemovalWasKilledDoesNotComeBackWithoutItsContainer() throws IOException {
    final LoggedDisk disk = freshDisk();
    try (PosixStore live = PosixStore.create(path, disk, false);
        StoreFixture fixture = new StoreFixture(path, disk.directory(), disk)) {
      final Commit old = add(fixture, 1);
      disk.stopAfterLossOf("manifest.json");
      assertThat(killed(() -> fixture.store().remove(old))).isEqualTo(1);
      disk.endProcess();
      age();
      live.createContainer(StoreFixture.SESSION, "node1");
      assertThat(afterPowerCuts(disk)).allMatch(List::isEmpty);
    }
  }

  @Test
  void aCommitDeletesNoContainerOfACheckpointWhoseRemovalWasKilled() throws IOException {
    final LoggedDisk disk = freshDisk();
    try (StoreFixture live = new StoreFixture(path, disk.directory(), disk)) {
      try (StoreFixture fixture = new StoreFixture(path, disk.directory(), disk)) {
        final Commit old = add(fixture, 1);
        disk.stopAfterLossOf("manifest.json");
        assertThat(killed(() -> fixture.store().remove(old))).isEqualTo(1);
        disk.endProcess();
      }
      age();
      live.filed("filed", 1, CONTENT).commit(2, 0);
      assertThat(afterPowerCuts(disk)).noneMatch(List::isEmpty);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aCommitKilledAtAnyStepIsThereOrCleanedUp(final boolean logged) throws IOException {
    for (int step = 0, steps = 0; step == steps; step++) {
      final LoggedDisk disk = freshDisk();
      try (StoreFixture fixture = new StoreFixture(path, disk.directory(), disk)) {
        final Commit old = add(fixture, 1, logged);
        disk.stopAt(disk.position() + step);
        steps += killed(() -> add(fixture, 2, logged));
        disk.endProcess();
        assertThat(intact()).startsWith(old);
      }
      PosixStore.create(path, disk, false).close();
      assertThat(checkpoints()).as("killed at step %d", step).hasSize(intact().size());
    }
  }

  /** It may have its name, but not durably yet, when somebody removes what is older. */
  @ParameterizedTest
  @CsvSource({
    "1, true, false",
    "2, true, false",
    "2, false, false",
    "1, true, true",
    "2, true, true",
    "2, false, true"
  })
  void somethingIsThereWheneverACommitIsKilled(
      final int number, final boolean counted, final boolean logged) throws IOException {
    for (int step = 0, steps = 0; step == steps; step++) {
      final LoggedDisk disk = freshDisk();
      try (PosixStore live = PosixStore.create(path, disk, false);
          StoreFixture fixture = new StoreFixture(path, disk.directory(), disk)) {
        add(fixture, 1, logged);
        disk.stopAt(disk.position() + step);
        steps += killed(() -> add(fixture, number, logged));
        disk.endProcess();
        if (!counted) { // as by an older Sluice
          disk.delete(path.resolve(ChangeCount.NAME), null);
        }
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
  void aCommitThatFailedDoesNotComeBackWithoutItsContainer() throws IOException {
    final LoggedDisk disk = freshDisk();
    try (PosixStore live = PosixStore.create(path, disk, false)) {
      try (StoreFixture fixture = new StoreFixture(path, disk.directory(), disk)) {
        fixture.store().prepareCommits();
        disk.failOnce(FaultPoint.LOG_FSYNC);
        assertThatThrownBy(() -> add(fixture, 1)).isInstanceOf(PosixException.class);
      }
      age();
      live.createContainer(StoreFixture.SESSION, "node1");
      assertThat(afterPowerCuts(disk)).allMatch(List::isEmpty);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatAKilledCommitSupersedesIsGoneAfterTheNextOpening(final boolean logged)
      throws IOException {
    for (int step = 0, steps = 0; step == steps; step++) {
      final LoggedDisk disk = freshDisk();
      try (StoreFixture fixture = new StoreFixture(path, disk.directory(), disk)) {
        add(fixture, 1, logged);
        disk.stopAt(disk.position() + step);
        steps += killed(() -> add(fixture, 1, logged));
        disk.endProcess();
        assertThat(intact()).hasSize(1);
      }
      PosixStore.create(path, disk, false).close();
      assertThat(checkpoints()).as("killed at step %d", step).hasSize(1);
      assertThat(intact()).hasSize(1);
    }
  }

  /** A reader may find a record that is not durable yet. */
  @Test
  void aFailedCommitIsTakenBackThoughSomebodyReadsIt() throws Exception {
    final FailingLog failing = new FailingLog();
    final List<Commit> read = new ArrayList<>();
    try (StoreFixture fixture = new StoreFixture(path, fresh(), failing);
        PosixStore reader = PosixStore.open(path)) {
      fixture.store().prepareCommits();
      failing.fail(() -> read.addAll(reader.commits()));
      assertThatThrownBy(() -> add(fixture, 1)).isInstanceOf(PosixException.class);
      assertThat(read).hasSize(1);
      final Commit failed = read.getFirst();
      assertThat(reader.whileHeld(failed, () -> reader.images(failed))).isFalse();
      assertThat(intact()).isEmpty();
      assertThat(checkpoints()).isEmpty();
      assertThat(files("log")).isEmpty();
    }
  }

  /** Behind a power cut the record may count, as its log has its name still. */
  @Test
  void aFailedCommitWhoseLogStaysKeepsItsFiles() throws IOException {
    final FailingLog failing =
        new FailingLog() {
          @Override
          public void delete(final Path file, final FaultPoint point) throws IOException {
            if (file.getParent().endsWith("log")) {
              throw new PosixException("delete " + file, Errno.EIO);
            }
            super.delete(file, point);
          }
        };
    try (StoreFixture fixture = new StoreFixture(path, fresh(), failing)) {
      fixture.store().prepareCommits();
      fixture.filed("filed", 0, new byte[] {1});
      failing.fail(() -> {});
      assertThatThrownBy(() -> fixture.commit(1, 0)).isInstanceOf(PosixException.class);
      assertThat(checkpoints().getFirst().resolve("images")).isNotEmptyDirectory();
    }
    PosixStore.create(path).close();
    assertThat(files("log")).isEmpty();
    assertThat(checkpoints()).isEmpty();
  }

  @Test
  void aFailedCommitIsTakenBackBesideOthers() throws Exception {
    final CountDownLatch deleting = new CountDownLatch(1);
    final CountDownLatch swept = new CountDownLatch(1);
    final Disk full =
        new Disk() {
          @Override
          public void syncDirectory(final Path directory, final FaultPoint point)
              throws IOException {
            if (directory.endsWith("images")) {
              throw new PosixException("sync " + directory, Errno.ENOSPC);
            }
            super.syncDirectory(directory, point);
          }

          @Override
          public void delete(final Path file, final FaultPoint point) throws IOException {
            super.delete(file, point);
            if (file.endsWith("manifest.tmp")) {
              deleting.countDown();
              awaitWaitForTheLock(() -> swept.getCount() == 0);
            }
          }
        };
    final Disk other =
        new Disk() {
          @Override
          public void syncDirectory(final Path directory, final FaultPoint point)
              throws IOException {
            if (point == FaultPoint.REMOVAL_FSYNC) {
              swept.countDown();
              awaitNone(directory);
            }
            super.syncDirectory(directory, point);
          }
        };
    try (StoreFixture fixture = new StoreFixture(path, fresh(), full);
        PosixStore beside = PosixStore.create(path, other, false)) {
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
          public void syncDirectory(final Path directory, final FaultPoint point)
              throws IOException {
            readOnly.compareAndSet(false, directory.endsWith("images"));
            refuse(directory);
            super.syncDirectory(directory, point);
          }

          @Override
          public void delete(final Path file, final FaultPoint point) throws IOException {
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

  @Test
  void whoRemovesDoesNotCountOnACommitThatMayFail() throws Exception {
    final CompletableFuture<List<Commit>> seen = new CompletableFuture<>();
    final FailingLog failing = new FailingLog();
    try (StoreFixture fixture = new StoreFixture(path, fresh(), failing)) {
      final Commit old = add(fixture, 1);
      failing.fail(
          () -> {
            seen.completeAsync(CutShortTest.this::durable);
            awaitWaitForTheLock(seen::isDone);
          });
      assertThatThrownBy(() -> add(fixture, 2)).isInstanceOf(PosixException.class);
      failing.succeed();
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

  private static void await(final CountDownLatch latch) {
    try {
      latch.await();
    } catch (final InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Until another thread waits for the lock of the store, unless it got past that. */
  private void awaitWaitForTheLock(final BooleanSupplier past) throws IOException {
    final String lock = ":%s ".formatted(Files.getAttribute(path.resolve("format"), "unix:ino"));
    while (!past.getAsBoolean()
        && Files.readAllLines(Path.of("/proc/locks")).stream()
            .noneMatch(line -> line.contains("->") && line.contains(lock))) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static void awaitNone(final Path directory) {
    for (int i = 0; i < 1000 && Files.exists(directory); i++) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  /** Commits a checkpoint, by a record of a log if all of it can be there. */
  private static Commit add(final StoreFixture fixture, final long number, final boolean logged)
      throws IOException {
    if (!logged) {
      return add(fixture, number);
    }
    fixture.store().prepareCommits();
    return fixture.logged("logged", 0, CONTENT).commit(number, 0);
  }

  /** Where the store is from here on. */
  private LoggedDisk freshDisk() throws IOException {
    final LoggedDisk disk = new LoggedDisk(fresh());
    path = disk.directory().resolve("store");
    return disk;
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
}
