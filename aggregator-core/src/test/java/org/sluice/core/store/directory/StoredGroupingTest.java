package org.sluice.core.store.directory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.store.node.PosixStore;

class StoredGroupingTest {
  @TempDir private Path root;

  private Path path;

  @BeforeEach
  void create() throws IOException {
    path = root.resolve("store");
    PosixStore.create(path).close();
  }

  private StoredGrouping grouping() throws IOException {
    return PosixStore.open(path).grouping();
  }

  @Test
  void aNewStoreRemembersNothing() throws IOException {
    assertThat(grouping().recall()).isEmpty();
  }

  @Test
  void theFirstThatIsRememberedIsThatOfAll() throws IOException {
    assertThat(grouping().remember("^a(\\d+)")).isEqualTo("^a(\\d+)");
    assertThat(grouping().remember("^b(\\d+)")).isEqualTo("^a(\\d+)");
    assertThat(grouping().recall()).contains("^a(\\d+)");
    try (Stream<Path> left = Files.list(path.resolve("staging"))) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void itIsReplacedWhereThatIsAskedFor() throws IOException {
    grouping().remember("^a(\\d+)");
    grouping().replace("^b(\\d+)");
    assertThat(grouping().recall()).contains("^b(\\d+)");
  }

  @Test
  void aDamagedOneIsNoneAndAnotherTakesItsPlace() throws IOException {
    grouping().remember("^a(\\d+)");
    final Path file = path.resolve("grouping");
    final byte[] whole = Files.readAllBytes(file);
    for (int at = 0; at < whole.length; at++) {
      final byte[] flipped = whole.clone();
      flipped[at] ^= 1;
      Files.write(file, flipped);
      assertThat(grouping().recall()).isEmpty();
    }
    assertThat(grouping().remember("^b(\\d+)")).isEqualTo("^b(\\d+)");
  }

  @Test
  void oneJobHasAStoreUntilItEnds() throws IOException {
    final JobClaim claim = PosixStore.open(path).job();
    try (JobClaim.Held taken = claim.tryTake("run", "one (process 7)").orElseThrow()) {
      assertThat(taken).isNotNull();
      final JobClaim other = PosixStore.open(path).job();
      assertThat(other.tryTake("next", "two")).isEmpty();
      assertThat(other.holder()).contains("one (process 7)");
    }
    assertThat(claim.holder()).isEmpty();
    claim.tryTake("next", "two").orElseThrow().close();
  }
}
