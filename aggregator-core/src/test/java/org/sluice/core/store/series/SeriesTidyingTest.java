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
import org.sluice.core.store.node.Leftover;
import org.sluice.core.store.node.Leftover.Kind;
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

  private static List<Leftover> collect(final SeriesTidying tidying) throws IOException {
    return tidying.collectGarbage(
        false,
        unreadable -> {
          throw new AssertionError(unreadable);
        },
        left -> {});
  }

  @Test
  void draftsThatLieStillGo() throws IOException {
    try (SeriesTidying tidying = new SeriesTidying(store, "default", REST)) {
      assertThat(collect(tidying)).hasSize(2);
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
      final List<Leftover> found = collect(tidying);
      assertThat(found).extracting(Leftover::name).containsAll(remains).hasSize(2 + remains.size());
      final String last = remains.getLast();
      assertThat(found)
          .contains(
              new Leftover(
                  Kind.EARLIER,
                  last,
                  store.root().resolve(last).toString(),
                  "half of it".length()));
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
      assertThat(tidying.find()).containsExactly("log/.draft-0123456789abcdef");
      tidying.deleteFound();
    }
    assertThat(ofPart).exists();
  }
}
