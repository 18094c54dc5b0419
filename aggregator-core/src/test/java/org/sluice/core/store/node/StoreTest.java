package org.sluice.core.store.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.store.model.Commit;

/** A store that checkpoints come to and go from. */
abstract class StoreTest {
  public static final byte[] CONTENT = new byte[5000];

  @TempDir(factory = InMemory.class)
  private Path root;

  public Path path;
  private int count;

  @BeforeEach
  void prepare() throws IOException {
    path = fresh().resolve("store");
  }

  static Commit add(final StoreFixture fixture, final long number) throws IOException {
    return fixture.logged("logged", 0, CONTENT).filed("filed", 1, CONTENT).commit(number, 0);
  }

  /** What a restart sees, all of which it can restore. */
  List<Commit> intact() throws IOException {
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

  List<Leftover> collect(final boolean dryRun) throws IOException {
    try (PosixStore store = PosixStore.open(path)) {
      return store.collectGarbage(
          dryRun,
          unreadable -> {
            throw new AssertionError(unreadable);
          });
    }
  }

  /** As if nobody had written to anything for long. */
  void age() throws IOException {
    for (final String part : List.of("containers", "staging")) {
      for (final Path file : files(part)) {
        Files.setLastModifiedTime(file, FileTime.from(Instant.EPOCH));
      }
    }
  }

  List<Path> checkpoints() throws IOException {
    return files("checkpoints");
  }

  List<Path> files(final String part) throws IOException {
    try (Stream<Path> files = Files.list(path.resolve(part))) {
      return files.sorted().toList();
    }
  }

  Path fresh() throws IOException {
    return Files.createDirectory(root.resolve(Integer.toString(count++)));
  }
}
