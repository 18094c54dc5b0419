package org.sluice.core.store.parts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.Rebuilder;
import org.sluice.core.store.node.Leftover;
import org.sluice.core.store.node.StoreFixture;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.series.CopiedStore;
import org.sluice.core.store.series.SeriesLog;
import org.sluice.core.store.series.SeriesReader;
import org.sluice.core.store.series.SeriesTidying;

/** A store at an engine, whose objects are files here so that they can be looked at. */
class SeriesObjectsTest {
  private static final byte[] CONTENT = {1, 2, 3};

  @TempDir private Path directory;
  private StoreFixture fixture;
  private Path objects;

  @BeforeEach
  void make() throws IOException {
    fixture = new StoreFixture(directory.resolve("store"), directory);
    objects = Files.createDirectory(directory.resolve("objects"));
  }

  @AfterEach
  void close() throws IOException {
    fixture.close();
  }

  /** One that may be read for days keeps no list of what it would have to make durable. */
  @Test
  void nothingIsDoneByWhatALogSaysThatIsOnlyRead() throws IOException {
    fixture.logged("first", 0, CONTENT).commit(7, 1);
    final String uri = objects.toUri() + "/";
    CopiedStore.copy(fixture.store(), uri, "default", "first", "b17");
    try (Engine engine = SeriesObjects.open(uri).engine("default")) {
      final SeriesLog log = SeriesLog.toRead(engine, damage -> {});
      assertThat(log.read().live()).hasSize(1);
      assertThatIllegalStateException().isThrownBy(log::makeDurable);
      final SeriesLog other = new SeriesLog(engine);
      other.read();
      other.makeDurable();
    }
  }

  @Test
  void aSeriesElsewhereIsReadAndTidiedAsOneInADirectory() throws IOException {
    fixture.logged("first", 0, CONTENT).filed("filed", 0, CONTENT).commit(7, 1);
    fixture.logged("later", 0, CONTENT).commit(8, 1);
    final String uri = objects.toUri() + "/";
    CopiedStore.copy(fixture.store(), uri, "default", "first", "b17");
    CopiedStore.copy(fixture.store(), uri, "other", "first", "b17");
    try (SeriesObjects store = SeriesObjects.open(uri)) {
      assertThat(store.names()).containsExactly("default", "other");
    }
    try (SeriesReader reader = new SeriesReader(SeriesObjects.open(uri), "default")) {
      assertThat(reader.commits()).extracting(Commit::number).containsExactly(7L, 8L);
      final Commit commit = reader.find(7).orElseThrow();
      assertThat(reader.images(commit)).hasSize(2);
      final List<IOException> damage = new ArrayList<>();
      reader.verify(commit, damage::add, bytes -> {});
      assertThat(damage).isEmpty();
      assertThat(reader.waiting(damage::add)).isEmpty();
      try (SeriesTidying tidying = new SeriesTidying(SeriesObjects.open(uri), "default")) {
        assertThat(tidying.candidates(false)).hasSize(2);
        assertThat(tidying.remove(List.of(7L))).isEmpty();
        assertThat(collect(tidying)).isEmpty();
      }
      assertThat(reader.whileHeld(commit, () -> rebuildAll(reader, commit))).isFalse();
      assertThat(reader.commits()).extracting(Commit::number).containsExactly(8L);
    }
    assertThat(names("default/data")).containsExactly("0000000008-0");
    CopiedStore.copy(fixture.store(), uri, "default", "second", "b17");
    try (SeriesTidying tidying = new SeriesTidying(SeriesObjects.open(uri), "default")) {
      assertThat(collect(tidying))
          .containsExactly("part/0000000008-1-0/b17.0", "data/1-b17/0000000008-0/0");
    }
    assertThat(names("other/data")).containsExactly("0000000007-0", "0000000008-0");
  }

  private static List<String> collect(final SeriesTidying tidying) throws IOException {
    return tidying.collectGarbage(false, unreadable -> {}, left -> {}).stream()
        .map(Leftover::name)
        .toList();
  }

  private void rebuildAll(final SeriesReader reader, final Commit commit) throws IOException {
    try (Rebuilder rebuilder = reader.rebuilder(commit, false)) {
      for (final CommittedImage image : reader.images(commit)) {
        final Path path = Files.createTempFile(directory, "rebuilt", "");
        try (NativeFile target = NativeFile.open(path, Flag.WRITE)) {
          rebuilder.rebuild(image, target);
        }
      }
    }
  }

  @Test
  void aProbeThatAKilledCreatorLeftGoesOnceItLiesStill() throws IOException {
    fixture.logged("first", 0, CONTENT).commit(7, 1);
    final String uri = objects.toUri() + "/";
    CopiedStore.copy(fixture.store(), uri, "probe-series", "first", "b17");
    final Path probe = Files.writeString(objects.resolve("probe-0123456789abcdef"), "half");
    try (SeriesTidying tidying =
        new SeriesTidying(SeriesObjects.open(uri), "probe-series", Duration.ofMillis(500))) {
      tidying.deleteFound();
      assertThat(probe).exists();
      assertThat(collect(tidying)).containsExactly("probe-0123456789abcdef");
    }
    assertThat(probe).doesNotExist();
    assertThat(names("probe-series/log")).isNotEmpty();
  }

  private List<String> names(final String data) throws IOException {
    try (Stream<Path> files = Files.walk(objects.resolve(data))) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> file.getParent().getFileName().toString())
          .sorted()
          .toList();
    }
  }
}
