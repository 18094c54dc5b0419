package org.sluice.core.store.node;

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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random lives on a disk whose power fails: nothing is wrong with what is left of any, and
 * something is where a sync is left out. A subclass has the static method {@code syncs}, which says
 * which.
 */
abstract class CutLives {
  static final int EFFORT = Integer.getInteger("sluice.effort", 1);
  private static final int LIVES = 60;

  @TempDir(factory = InMemory.class)
  private Path directory;

  /** The same one each time, but for {@code scripts/soaks/fuzz}, which looks for new cuts. */
  private final long seed = Long.getLong("sluice.seed", 1);

  private final int livesWithAllSyncs;
  private int count;

  CutLives(final int livesWithAllSyncs) {
    this.livesWithAllSyncs = livesWithAllSyncs;
  }

  /** Lives once without some syncs, and says what is wrong with what cuts leave. */
  abstract List<String> faults(Random random, BiPredicate<Path, Set<String>> leftOut)
      throws IOException;

  @Test
  void nothingIsLostWhateverReachedTheDisk() throws IOException {
    for (int i = 0; i < livesWithAllSyncs; i++) {
      assertThat(faults(new Random(seed + i), (path, step) -> false))
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
      faults.addAll(faults(new Random(i), sync));
    }
    assertThat(faults).isNotEmpty();
  }

  /** Those of files or directories of some names, of a directory after a change of some names. */
  static Arguments sync(final String what, final String name, final String changed) {
    return Arguments.of(
        what,
        (BiPredicate<Path, Set<String>>)
            (path, step) ->
                path.getFileName().toString().matches(name)
                    && String.join(" ", new TreeSet<>(step)).matches(changed));
  }

  final Path fresh() throws IOException {
    return Files.createDirectory(directory.resolve(Integer.toString(count++)));
  }
}
