package org.sluice.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.command.CommandException;

/** Where a restore builds: all of it gets its name, or nothing of it is left. */
class ScaffoldTest {
  @TempDir private Path directory;

  @Test
  void nothingHasItsNameBeforeAllIsThere() throws Exception {
    try (Scaffold scaffold = new Scaffold(false, BuildPlaces.none())) {
      scaffold.file(path("new/below/a"));
      scaffold.link(scaffold.file(path("b")), path("new/c"));
      assertThat(names()).isNotEmpty().allMatch(name -> name.startsWith(".sluice-"));
      scaffold.finish();
    }
    assertThat(names()).containsExactlyInAnyOrder("b", "new", "new/below", "new/below/a", "new/c");
  }

  @Test
  void whatIsStoppedLeavesNothing() throws Exception {
    final Scaffold scaffold = new Scaffold(false, BuildPlaces.none());
    scaffold.file(path("new/below/a"));
    scaffold.file(path("b"));
    scaffold.close();
    assertThat(names()).isEmpty();
    assertThatThrownBy(() -> scaffold.file(path("c"))).isInstanceOf(IOException.class);
    assertThatThrownBy(scaffold::finish).isInstanceOf(IOException.class);
    assertThat(names()).isEmpty();
  }

  @Test
  void whatCannotBeGivenItsNameTakesBackTheOthers() throws Exception {
    Files.writeString(directory.resolve("old"), "old");
    try (Scaffold scaffold = new Scaffold(true, BuildPlaces.none())) {
      scaffold.file(path("new/a"));
      scaffold.file(path("old"));
      scaffold.file(path("late"));
      Files.createDirectory(directory.resolve("late"));
      assertThatThrownBy(scaffold::finish).isInstanceOf(CommandException.class);
    }
    assertThat(names()).containsExactlyInAnyOrder("old", "late");
    assertThat(directory.resolve("old")).hasContent("old");
  }

  @Test
  void whatIsReplacedGoes() throws Exception {
    Files.writeString(directory.resolve("old"), "old");
    try (Scaffold scaffold = new Scaffold(true, BuildPlaces.none())) {
      scaffold.file(path("old"));
      scaffold.finish();
    }
    assertThat(names()).containsExactly("old");
    assertThat(directory.resolve("old")).isEmptyFile();
  }

  /** As when each rank restores its own images at the same time. */
  @Test
  void anotherRestoreMayMakeTheSameDirectories() throws Exception {
    try (Scaffold one = new Scaffold(false, BuildPlaces.none());
        Scaffold other = new Scaffold(false, BuildPlaces.none())) {
      one.file(path("new/below/a"));
      other.file(path("new/below/b"));
      other.file(path("new/other/c"));
      one.finish();
      other.finish();
    }
    assertThat(names())
        .containsExactlyInAnyOrder(
            "new", "new/below", "new/below/a", "new/below/b", "new/other", "new/other/c");
  }

  private String path(final String name) {
    return directory.resolve(name).toString();
  }

  private List<String> names() throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.skip(1).map(path -> directory.relativize(path).toString()).toList();
    }
  }
}
