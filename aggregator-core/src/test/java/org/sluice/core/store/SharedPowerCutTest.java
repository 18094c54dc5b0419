package org.sluice.core.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whenever the power fails on each of two nodes that share a directory, what the series' log has is
 * whole, what a node was told of is in it, and nothing of a fenced run shows.
 */
class SharedPowerCutTest {
  private static final int EFFORT = Integer.getInteger("sluice.effort", 1);
  private static final int LIVES = 60;
  private static final int LIVES_WITH_ALL_SYNCS = 40 * EFFORT;
  private static final int CUTS = 40;

  @TempDir(factory = InMemory.class)
  private Path directory;

  /** The same one each time, but for {@code scripts/fuzz}, which looks for new cuts. */
  private final long seed = Long.getLong("sluice.seed", 1);

  private int count;

  @Test
  void whatIsCommittedIsWholeWhereverEachNodeWasCut() throws IOException {
    for (int i = 0; i < LIVES_WITH_ALL_SYNCS; i++) {
      assertThat(faults(seed + i, (path, step) -> false))
          .as("-Dsluice.seed=%d", seed + i)
          .isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("syncs")
  void withoutAnyOneSyncSomethingIsLost(
      final String name, final BiPredicate<Path, Set<String>> sync) throws IOException {
    final List<String> faults = new ArrayList<>();
    for (int i = 0; i < LIVES && faults.isEmpty(); i++) {
      faults.addAll(faults(i, sync));
    }
    assertThat(faults).isNotEmpty();
  }

  static Stream<Arguments> syncs() {
    return Stream.of(
        sync("of a part or an entry", "\\.draft-.*", ".*"),
        sync("of the log after a link", "log", "\\.draft-.*|\\d{10}"),
        sync("of a checkpoint's parts after a link", "\\d{10}-\\d+-\\d+", "\\.draft-.*|.*\\.\\d"),
        sync("of the parts after a checkpoint's first one", "part", ".*"),
        sync("of an image", "image\\d+", ".*"),
        sync("of the images of a commit", "images", ".*"));
  }

  /** Those of files or directories of some names, of a directory after a change of some names. */
  private static Arguments sync(final String what, final String name, final String changed) {
    return Arguments.of(
        what,
        (BiPredicate<Path, Set<String>>)
            (path, step) ->
                path.getFileName().toString().matches(name)
                    && String.join(" ", new TreeSet<>(step)).matches(changed));
  }

  private List<String> faults(final long life, final BiPredicate<Path, Set<String>> leftOut)
      throws IOException {
    final Random random = new Random(life);
    final SharedLife shared = new SharedLife(fresh(), random, leftOut);
    shared.live();
    final List<String> faults = new ArrayList<>();
    for (int cut = 0; cut < CUTS; cut++) {
      final int[] cuts = shared.cuts();
      final Path left = fresh();
      new PowerCut(shared.disk(), cuts, random).leave(left);
      new SharedRemains(left)
          .faults(shared, cuts)
          .forEach(
              fault ->
                  faults.add("%s before changes %d and %d".formatted(fault, cuts[0], cuts[1])));
      Disk.REAL.deleteAll(left);
    }
    Disk.REAL.deleteAll(shared.disk().directory());
    return faults;
  }

  private Path fresh() throws IOException {
    return Files.createDirectory(directory.resolve(Integer.toString(count++)));
  }
}
