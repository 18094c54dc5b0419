package org.sluice.iop.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.command.CommandException;

class SegmentPlaceTest {
  private static final long LENGTH = 4096;

  @TempDir Path directory;
  private final List<String> asked = new ArrayList<>();
  private final Map<String, HugePageSource> sources = new LinkedHashMap<>();

  private void source(final String name, final Path file) {
    sources.put(
        name,
        (where, length) -> {
          asked.add(name);
          return Optional.ofNullable(file);
        });
  }

  private SegmentPlace find(final Pages pages) throws IOException {
    return SegmentPlace.find(directory, pages, LENGTH, sources);
  }

  @Test
  void sourcesAreAskedInOrderUntilOneHasPages() throws IOException {
    final Path elsewhere = directory.resolve("elsewhere/file");
    source("first", null);
    source("second", elsewhere);
    source("third", directory.resolve("never"));

    final SegmentPlace place = find(Pages.auto);

    assertThat(asked).containsExactly("first", "second");
    assertThat(place.file()).isEqualTo(elsewhere);
    assertThat(place.report(2 << 20, Pages.auto)).isEqualTo("2 MiB, from second");
  }

  @Test
  void clientsFindTheSegmentInTheRuntimeDirectoryUntilItIsCleared() throws IOException {
    final Path file = Files.createDirectory(directory.resolve("elsewhere")).resolve("file");
    source("only", file);
    find(Pages.auto);
    Files.writeString(file, "segment");

    assertThat(directory.resolve("segment")).hasContent("segment");
    SegmentPlace.clear(directory);
    assertThat(directory.resolve("segment")).doesNotExist();
    assertThat(file).doesNotExist();
  }

  /** Its mount was gone again before the segment was created in it. */
  @Test
  void whatAnEndedCreatorLeftIsCleared() throws IOException {
    Files.writeString(
        Files.createDirectory(directory.resolve("pages")).resolve("segment"), "segment");
    SegmentPlace.clear(directory);
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void smallPagesAskNobody() throws IOException {
    source("only", directory.resolve("never"));

    final SegmentPlace place = find(Pages.small);

    assertThat(asked).isEmpty();
    assertThat(place.file()).isEqualTo(directory.resolve("segment"));
    assertThat(place.report(0, Pages.small)).isEqualTo("4 KiB, from shared memory");
  }

  @Test
  void withoutASourceAutoTakesSmallPagesAndSaysWhatWouldHelp() throws IOException {
    source("only", null);

    assertThat(find(Pages.auto).report(0, Pages.auto)).contains("4 KiB", "root", "remount");
  }

  @Test
  void withoutASourceHugeFails() {
    source("only", null);

    assertThatThrownBy(() -> find(Pages.huge))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("--pages auto");
  }

  @Test
  void pagesThatTurnOutSmallAreSaidToBe() throws IOException {
    source("only", directory.resolve("segment"));
    final SegmentPlace place = find(Pages.auto);

    assertThat(place.report(0, Pages.auto)).contains("4 KiB, from only", "fragmented");
    assertThatThrownBy(() -> place.report(0, Pages.huge)).isInstanceOf(CommandException.class);
  }
}
