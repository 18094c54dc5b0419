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

/** Whenever the power fails, an object that was stored is there, and none has other bytes. */
class EnginePowerCutTest {
  private static final int EFFORT = Integer.getInteger("sluice.effort", 1);
  private static final int LIVES = 60;
  private static final int LIVES_WITH_ALL_SYNCS = 30 * EFFORT;
  private static final int CUTS = 50;
  private static final String DRAFT = "\\.draft-[0-9a-f]{16}";

  @TempDir(factory = InMemory.class)
  private Path directory;

  /** The same one each time, but for {@code scripts/fuzz}, which looks for new cuts. */
  private final long seed = Long.getLong("sluice.seed", 1);

  private int count;

  @Test
  void whatWasStoredIsThereWhateverReachedTheDisk() throws IOException {
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
        sync("of an object", DRAFT, ""),
        sync("after a link", "log|[12]-[ab]", DRAFT),
        sync("of the root after the first folder", ".*", "log|part"),
        sync("of a folder after the first one below", "part", "[12]-[ab]"));
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
    final LoggedDisk disk = new LoggedDisk(fresh()).leaveOut(leftOut);
    final EngineLife engines = new EngineLife(disk, random);
    for (int process = 0; process < 8; process++) {
      engines.live(1 + random.nextInt(8));
    }
    final List<String> faults = new ArrayList<>();
    for (final int cut : PowerCut.spread(0, disk.position(), CUTS, random)) {
      final Path left = fresh();
      new PowerCut(disk, cut, random).leave(left);
      engines
          .faults(left, cut)
          .forEach(fault -> faults.add("%s before change %d".formatted(fault, cut)));
      Disk.REAL.deleteAll(left);
    }
    Disk.REAL.deleteAll(disk.directory());
    return faults;
  }

  private Path fresh() throws IOException {
    return Files.createDirectory(directory.resolve(Integer.toString(count++)));
  }
}
