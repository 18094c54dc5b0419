package org.sluice.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.core.chunk.DamagedException;
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

/** A series of whose log an entry is damaged: what is certain is read, and a user can go on. */
class DamagedSeriesTest {
  @TempDir private Path directory;
  private Path root;
  private SeriesDirectory store;

  @BeforeEach
  void make() throws IOException {
    root = directory.resolve("store");
    store = SeriesDirectory.create(root);
    store.make("default");
    run("first", 1, 2, 3); // entry 1 is its begin
  }

  private void run(final String name, final long... numbers) throws IOException {
    try (Engine engine = store.engine("default")) {
      final SeriesRun run = SeriesRun.join(engine, name, "b17");
      final SeriesDirectory.Place place = store.place("default", run.begin(), "b17");
      try (StoreFixture fixture = new StoreFixture(place.path(), directory)) {
        for (final long number : numbers) {
          final Commit commit =
              fixture.filed("filed-" + number, 0, ("it " + number).getBytes()).commit(number, 1);
          final PartKey key = run.part(number, 0, 0, RankSet.of(IntStream.of(0)));
          final byte[] part = new StoredPart(commit, fixture.store().images(commit)).encode();
          run.put(key, List.of(ByteBuffer.wrap(part)));
          run.commit(key, run.parts(key), 1, PartsCheck.NONE);
        }
      }
      place.end(run.last());
    }
  }

  private Path entry(final int sequence) {
    return root.resolve("default/log/%010d".formatted(sequence));
  }

  private void damage(final int sequence, final String how) throws IOException {
    if (how.equals("missing")) {
      Files.delete(entry(sequence));
    } else {
      final byte[] bytes = Files.readAllBytes(entry(sequence));
      bytes[bytes.length / 2] ^= 1;
      Files.write(entry(sequence), bytes);
    }
  }

  private CommandResult sluice(final String command, final String... options) {
    return CommandResult.of(
        Stream.concat(Stream.of(command, "--store", root.toString()), Stream.of(options))
            .toArray(String[]::new));
  }

  /** The numbers that are listed. */
  private List<String> listed(final int status) {
    final CommandResult ls = sluice("ls");
    assertThat(ls.status()).as(ls.toString()).isEqualTo(status);
    return ls.out()
        .lines()
        .map(line -> line.strip().split(" ")[0])
        .filter(word -> word.matches("\\d+"))
        .toList();
  }

  private void restored(final int number) throws IOException {
    final Path to = Files.createTempDirectory(directory, "to");
    final CommandResult restore =
        sluice("restore", "--to", to.toString(), "--checkpoint", "" + number);
    assertThat(restore.status()).as(restore.toString()).isZero();
    assertThat(to.resolve("filed-" + number)).hasContent("it " + number);
  }

  private Set<Path> tree() throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      return all.collect(Collectors.toSet());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"missing", "changed"})
  void whatIsBehindTheDamageIsReadAndAllElseOnceAUserGoesOn(final String how) throws IOException {
    damage(3, how);
    final Set<Path> before = tree();
    assertThat(listed(5)).containsExactly("3");
    restored(3);
    for (final CommandResult refused :
        List.of(
            sluice("ls"),
            sluice("restore", "--to", directory.resolve("x").toString(), "--checkpoint", "1"),
            sluice("rm", "1"),
            sluice("gc"))) {
      assertThat(refused.status()).as(refused.toString()).isEqualTo(5);
      assertThat(refused.err())
          .contains(entry(3).toString(), "; sluice gc --damaged-logs goes on without it");
      assertThat(refused.err().lines()).hasSize(1);
    }
    assertThatThrownBy(() -> run("second", 4))
        .isInstanceOf(DamagedException.class)
        .hasMessageContaining("gc --damaged-logs");
    assertThat(sluice("gc", "--damaged-logs", "--dry-run").status()).isZero();
    assertThat(tree()).isEqualTo(before);

    assertThat(sluice("gc", "--damaged-logs").out()).contains("log").contains("0000000003");
    assertThat(listed(0)).containsExactly("1", "3");
    run("second", 4);
    assertThat(listed(0)).containsExactly("1", "3", "4");
    for (final int number : List.of(1, 3, 4)) {
      restored(number);
    }
    assertThatThrownBy(() -> run("first", 5)).hasMessageContaining("fenced");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void anEntryBehindSaysWhatCounts(final int damaged) throws IOException {
    assertThat(sluice("rm", "1").status()).isZero(); // entry 5
    damage(damaged, "changed");
    final List<String> certain =
        switch (damaged) {
          case 3 -> List.of("3");
          case 4 -> List.of("2");
          default -> List.of("2", "3");
        };
    assertThat(listed(5)).isEqualTo(certain);
    assertThat(sluice("gc", "--damaged-logs").status()).isZero();
    assertThat(listed(0)).isEqualTo(certain);
    assertThat(sluice("verify").status()).isZero();
  }

  /** The next run asks each begin whether its name was used. */
  @ParameterizedTest
  @ValueSource(strings = {"missing", "changed"})
  void aDamagedBeginOfAnEarlierRunIsNamedAndMended(final String how) throws IOException {
    run("second", 4);
    run("third", 5);
    damage(1, how);
    final String mends = entry(1) + ".* sluice gc --damaged-logs goes on without it";
    assertThatThrownBy(() -> run("fourth", 6)).hasMessageMatching(mends);
    final CommandResult verify = sluice("verify");
    assertThat(verify.status()).isEqualTo(5);
    assertThat(verify.err()).containsPattern(mends);
    assertThat(listed(0)).containsExactly("1", "2", "3", "4", "5");

    assertThat(sluice("gc", "--damaged-logs").out()).contains("0000000001");
    assertThat(sluice("verify").status()).isZero();
    assertThat(sluice("gc", "--damaged-logs").out()).doesNotContain("log");
    run("fourth", 6);
    assertThat(listed(0)).containsExactly("1", "2", "3", "4", "5", "6");
  }

  /** It looks like a store of one node then, which has no series. */
  @Test
  void aDamagedFormatIsNamedToWhoAsksForASeries() throws IOException {
    Files.writeString(root.resolve("format"), "slucie series 1\n");
    for (final String command : List.of("verify", "ls", "gc")) {
      final CommandResult refused = sluice(command, "--series", "default");
      assertThat(refused.status()).as(refused.toString()).isEqualTo(5);
      assertThat(refused.err())
          .contains("this mends it: echo sluice series 1 >" + root.resolve("format"));
    }
  }

  /** What was removed by the damaged entry has lost bytes since, and stays gone. */
  @Test
  void whatHasLostBytesCountsNoMore() throws IOException {
    assertThat(sluice("rm", "1").status()).isZero(); // entry 5
    damage(5, "changed");
    assertThat(listed(5)).isEmpty();
    assertThat(sluice("gc", "--damaged-logs").status()).isZero();
    assertThat(listed(0)).containsExactly("2", "3");
  }
}
