package org.sluice.restart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.command.CommandResult;
import org.sluice.core.store.log.StoredPart;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.RankSet;
import org.sluice.core.store.node.StoreFixture;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.parts.SeriesDirectory;
import org.sluice.core.store.series.PartKey;
import org.sluice.core.store.series.PartsCheck;
import org.sluice.core.store.series.SeriesRun;

/**
 * A series in which something else lies in the place of an object: every command says so in a line.
 */
@Timeout(600)
class HostileSeriesTest {
  @TempDir private Path directory;
  private Path root;
  private Path series;
  private SeriesDirectory store;

  @BeforeEach
  void make() throws IOException {
    root = directory.resolve("store");
    series = root.resolve("default");
    store = SeriesDirectory.create(root);
    Files.createDirectory(series);
    run("first", 1, 2, 3);
    exec("cp", "-a", root.toString(), directory.resolve("made").toString());
  }

  /** As it was made, without waiting for the disk again. */
  private void makeAgain() throws IOException {
    exec("rm", "-rf", root.toString());
    exec("cp", "-a", directory.resolve("made").toString(), root.toString());
  }

  /** A run of one node that commits such numbers. */
  private void run(final String name, final long... numbers) throws IOException {
    try (Engine engine = store.engine("default")) {
      final SeriesRun run = SeriesRun.join(engine, name, "b17");
      final SeriesDirectory.Place place = store.place("default", run.begin(), "b17");
      try (StoreFixture fixture = new StoreFixture(place.path(), directory)) {
        for (final long number : numbers) {
          fixture.logged("logged-" + number, 0, ("one " + number).getBytes());
          final Commit commit =
              fixture.filed("filed-" + number, 0, "it".getBytes()).commit(number, 1);
          final byte[] part = new StoredPart(commit, fixture.store().images(commit)).encode();
          final PartKey key = run.part(number, 0, 0, RankSet.of(IntStream.of(0)));
          run.put(key, List.of(ByteBuffer.wrap(part)));
          assertThat(run.commit(key, run.parts(key), 1, PartsCheck.NONE).isEmpty()).isTrue();
        }
      }
      place.end(run.last());
    }
  }

  private Path part(final int number) {
    return series.resolve("part/%010d-1-0/b17.0".formatted(number));
  }

  private CommandResult sluice(final String command, final String... options) {
    return CommandResult.of(
        Stream.concat(Stream.of(command, "--store", root.toString()), Stream.of(options))
            .toArray(String[]::new));
  }

  private static void exec(final String... command) throws IOException {
    assertThat(new ProcessBuilder(command).start().onExit().join().exitValue()).isZero();
  }

  private void replace(final Path path, final String kind) throws Exception {
    exec("rm", "-rf", path.toString());
    switch (kind) {
      case "fifo" -> exec("mkfifo", path.toString());
      case "directory" -> Files.createDirectory(path);
      case "link" -> Files.createSymbolicLink(path, Path.of("/dev/zero"));
      case "holes" -> exec("truncate", "-s", "8G", path.toString());
      case "another" -> Files.copy(part(1), path);
      case "nothing" -> {}
      default -> Files.writeString(path, kind);
    }
  }

  private static final List<String> KINDS =
      List.of("fifo", "directory", "link", "holes", "another", "nothing", "text", "");

  /** Those beside it are listed and restored, and it can be removed. */
  @Test
  void othersAreNotHeldUpByAHostilePart() throws Exception {
    int tried = 0;
    for (final String kind : KINDS) {
      makeAgain();
      replace(part(2), kind);
      for (final CommandResult one : List.of(sluice("ls", "--images"), sluice("verify"))) {
        assertThat(one.out()).as(kind).contains("3");
        assertThat(one.err()).as(kind).contains(part(2).toString()).doesNotContain("Exception");
        assertThat(one.err().lines()).as(kind).hasSize(1);
        assertThat(one.status()).as(kind).isEqualTo(5);
      }
      final String to = directory.resolve("to" + ++tried).toString();
      assertThat(sluice("restore", "--to", to, "--checkpoint", "3").status()).as(kind).isZero();
      final CommandResult older = sluice("restore", "--to", to, "--checkpoint", "1", "--fallback");
      assertThat(older.status()).as(kind + older).isZero();
      final CommandResult fallback = sluice("restore", "--to", to + "f", "--fallback");
      assertThat(fallback.err()).as(kind).isEmpty(); // the newest needs none
      assertThat(fallback.status()).as(kind).isZero();
      final CommandResult newest = sluice("restore", "--to", to + "n");
      assertThat(newest.out()).as(kind).startsWith("restored checkpoint 3 ");
      assertThat(newest.err()).as(kind).contains("an older checkpoint cannot be read: ");
      assertThat(newest.status()).as(kind).isZero();
      assertThat(sluice("rm", "2").err()).as(kind).isEmpty();
      assertThat(sluice("verify").err()).as(kind).isEmpty();
    }
  }

  @Test
  void whateverIsInTheLogIsSaidInALine() throws Exception {
    int tried = 0;
    for (final String kind : KINDS) {
      for (final String entry : List.of("0000000001", "0000000003", "0000000005", "0000000009")) {
        if (kind.equals("nothing") && !entry.equals("0000000003")) {
          continue;
        }
        makeAgain();
        final Path path = series.resolve("log").resolve(entry);
        replace(path, kind);
        final String what = kind + " as " + entry;
        final List<CommandResult> all = new ArrayList<>();
        all.add(sluice("ls"));
        all.add(sluice("verify"));
        all.add(
            sluice("restore", "--to", directory.resolve("x" + ++tried).toString(), "--fallback"));
        all.add(sluice("rm", "1"));
        all.add(sluice("gc"));
        for (final CommandResult one : all) {
          if (one.status() != 0) {
            assertThat(one.err()).as(what).doesNotContain("Exception", "unexpected");
            assertThat(one.err().lines()).as(what).hasSize(1);
            assertThat(one.err()).as(what).contains(series.resolve("log").toString());
            assertThat(one.status()).as(what).isIn(5, 11); // or what is certain is restored
          }
        }
      }
    }
  }

  /** A list that follows links would go round for ever. */
  @Test
  void linksInACircleAreNotFollowed() throws Exception {
    for (final String name : List.of("a", "b", "c")) {
      Files.createSymbolicLink(series.resolve("part").resolve(name), series.resolve("part"));
    }
    assertThat(sluice("ls").status()).isZero();
    assertThat(sluice("gc").status()).isZero();
    assertThat(sluice("rm", "1").status()).isZero();
    assertThat(sluice("verify").out()).contains("checkpoint 2", "checkpoint 3", "no damage");
  }

  /** Its log would count on what is not there. */
  @Test
  void oneNodesPartIsNotTidiedAlone() throws IOException {
    final String part = series.resolve("data/1-b17").toString();
    for (final List<String> command : List.of(List.of("rm", "1"), List.of("gc"))) {
      final List<String> all = new ArrayList<>(command);
      all.addAll(List.of("--store", part));
      final CommandResult result = CommandResult.of(all.toArray(String[]::new));
      assertThat(result.status()).as(command + result.err()).isEqualTo(2);
      assertThat(result.err()).contains("one node's part of the store " + root);
    }
    assertThat(sluice("verify").status()).isZero();
  }
}
