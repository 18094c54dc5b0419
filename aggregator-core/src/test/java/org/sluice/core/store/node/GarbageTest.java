package org.sluice.core.store.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.store.disk.Disk;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.node.Leftover.Kind;

/** What is garbage and what is not, and that it is never half there. */
class GarbageTest extends StoreTest {
  @Test
  void aCommitUnderWayIsNobodysGarbage() throws IOException {
    final Disk busy =
        new Disk() {
          @Override
          public void syncDirectory(final Path directory, final FaultPoint point)
              throws IOException {
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
      assertThat(Path.of(file.opened())).doesNotExist();
    }
  }

  /** A later version has them; {@code docs/format.md} reserves their names. */
  @Test
  void whatIsNotKnownStays() throws IOException {
    try (StoreFixture fixture = new StoreFixture(path, fresh())) {
      final Commit commit = add(fixture, 1);
      Files.createDirectories(path.resolve("log"));
      Files.writeString(path.resolve("log/1"), "");
      Files.createDirectories(path.resolve("part"));
      Files.writeString(path.resolve("commits"), "");
      age();
      assertThat(collect(false)).isEmpty();
      assertThat(add(fixture, 1)).isNotEqualTo(commit);
      assertThat(path.resolve("log/1")).exists();
      assertThat(path.resolve("part")).exists();
      assertThat(path.resolve("commits")).exists();
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
  void aContainerStaysThatALiveCheckpointSharesWithASupersededOne() throws IOException {
    final List<Commit> newer = new ArrayList<>();
    try (StoreFixture fixture = new StoreFixture(path, fresh());
        PosixStore reader = PosixStore.open(path)) {
      final Commit old = add(fixture, 1);
      reader.whileHeld(old, () -> newer.add(add(fixture, 1)));
    }
    age();
    assertThat(collect(false)).extracting(Leftover::kind).containsExactly(Kind.SUPERSEDED);
    assertThat(intact()).containsExactly(newer.getFirst());
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
}
