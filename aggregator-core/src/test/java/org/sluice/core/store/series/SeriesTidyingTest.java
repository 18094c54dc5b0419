package org.sluice.core.store.series;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.store.parts.SeriesDirectory;

/** What killed writers left in the place of objects, and what live ones write. */
class SeriesTidyingTest {
  private static final Duration REST = Duration.ofMillis(500);

  @TempDir private Path directory;
  private SeriesDirectory store;
  private Path ofEntry;
  private Path ofPart;

  @BeforeEach
  void make() throws IOException {
    store = SeriesDirectory.create(directory.resolve("store"));
    store.make("default");
    SeriesRun.join(store.engine("default"), "run", "b17");
    ofEntry = draft("log/.draft-0123456789abcdef");
    ofPart = draft("part/0000000001-1-0/.draft-0123456789abcdef");
  }

  private Path draft(final String key) throws IOException {
    final Path path = store.root().resolve("default").resolve(key);
    Files.createDirectories(path.getParent());
    return Files.writeString(path, "half of it");
  }

  @Test
  void draftsThatLieStillGo() throws IOException {
    try (SeriesTidying tidying = new SeriesTidying(store, "default", REST)) {
      final List<String> found = tidying.await();
      assertThat(found).hasSize(2);
      tidying.delete(found);
    }
    assertThat(ofEntry).doesNotExist();
    assertThat(ofPart.getParent()).doesNotExist();
    assertThat(store.root().resolve("default/log/0000000001")).exists();
  }

  @Test
  void whatKilledCreatorsOfTheStoreLeftGoesOnceItLiesStill() throws IOException {
    final List<String> remains =
        List.of(".draft-0123456789abcdef", ".format-0123456789abcdef", "probe-0123456789abcdef");
    for (final String name : remains) {
      Files.writeString(store.root().resolve(name), "half of it");
    }
    final Path users = Files.writeString(store.root().resolve(".notes"), "mine");
    try (SeriesTidying tidying = new SeriesTidying(store, "default", REST)) {
      assertThat(tidying.find()).isEmpty();
      final List<String> found = tidying.await();
      assertThat(found).containsAll(remains).hasSize(2 + remains.size());
      assertThat(tidying.path(remains.getLast()))
          .isEqualTo(store.root().resolve(remains.getLast()).toString());
      assertThat(tidying.size(remains.getLast())).isEqualTo("half of it".length());
      tidying.delete(found);
    }
    remains.forEach(name -> assertThat(store.root().resolve(name)).doesNotExist());
    assertThat(users).exists();
    assertThat(store.root().resolve("format")).exists();
  }

  @Test
  void oneThatIsWrittenStays() throws Exception {
    try (SeriesTidying tidying = new SeriesTidying(store, "default", REST)) {
      assertThat(tidying.find()).isEmpty();
      Thread.sleep(REST);
      Files.writeString(ofPart, "half of it");
      final List<String> found = tidying.find();
      assertThat(found).containsExactly("log/.draft-0123456789abcdef");
      tidying.delete(found);
    }
    assertThat(ofPart).exists();
  }
}
