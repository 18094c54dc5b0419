package org.sluice.core.store.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.sluice.core.store.disk.Disk;

/** Whenever the power fails, what was committed is there, and nothing else passes for it. */
class PowerCutTest {
  private static final int EFFORT = Integer.getInteger("sluice.effort", 1);
  private static final int STORES = 40;

  /** Some without a sync show it early; they come first. */
  private static final int[] TELLING = {0, 1, 2, 8, 11, 38};

  private static final int STORES_WITH_ALL_SYNCS = 4 * EFFORT;
  private static final int CUTS_WHILE_MADE = 8;
  private static final int CUTS_LATER = 42;
  private static final int CHAINS = 15 * EFFORT;
  private static final int LINKS = 3;
  private static final int CREATION = 15;
  private static final int MOST_CHANGES = 200;

  @TempDir(factory = InMemory.class)
  private Path directory;

  /** The same one each time, but for {@code scripts/soaks/fuzz}, which looks for new cuts. */
  private final long seed = Long.getLong("sluice.seed", 1);

  private int count;

  @Test
  void whatWasCommittedIsThereWhateverReachedTheDisk() throws IOException {
    for (int i = 0; i < STORES_WITH_ALL_SYNCS; i++) {
      final Random random = new Random(seed + i);
      final LoggedDisk disk = new LoggedDisk(fresh());
      final StoreLife life = lives(disk, random);
      for (final int cut : cuts(disk, random)) {
        assertThat(faults(life, new PowerCut(disk, cut, random), cut))
            .as("-Dsluice.seed=%d, store %d, power fails before change %d", seed, i, cut)
            .isEmpty();
      }
    }
  }

  /** A cut while what another one left is cleaned up and committed upon, and so on. */
  @Test
  void whatOneCutLeftIsThereAfterTheNext() throws IOException {
    for (int i = 0; i < CHAINS; i++) {
      final Random random = new Random(seed + i);
      LoggedDisk disk = new LoggedDisk(fresh());
      StoreLife life = lives(disk, random);
      int begin = 0;
      for (int link = 0; link < LINKS; link++) {
        final int cut = begin + random.nextInt(disk.position() - begin + 1);
        final PowerCut power = new PowerCut(disk, cut, random);
        assertThat(faults(life, power, cut))
            .as("-Dsluice.seed=%d, cut %d before change %d", seed + i, link, cut)
            .isEmpty();
        final Path left = fresh();
        power.leave(left);
        Disk.REAL.deleteAll(disk.directory());
        disk = new LoggedDisk(left);
        begin = disk.position();
        life = life.after(disk);
        life.live(1, random.nextInt(MOST_CHANGES));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("syncs")
  void withoutAnyOneSyncSomethingIsLost(
      final String name, final BiPredicate<Path, Set<String>> sync) throws IOException {
    final IntStream stores =
        IntStream.concat(IntStream.of(TELLING), IntStream.range(0, STORES)).distinct();
    for (final int store : stores.toArray()) {
      final Random random = new Random(store);
      final LoggedDisk disk = new LoggedDisk(fresh()).leaveOut(sync);
      final StoreLife life = lives(disk, random);
      for (final int cut : cuts(disk, random)) {
        if (!faults(life, new PowerCut(disk, cut, random), cut).isEmpty()) {
          return;
        }
      }
    }
    fail("no fault shows");
  }

  /** Every store is made in the same few changes, so a part of these is enough of each. */
  private static List<Integer> cuts(final LoggedDisk disk, final Random random) {
    final int last = disk.position();
    final int made = Math.min(CREATION, last);
    final List<Integer> cuts = PowerCut.spread(0, made, CUTS_WHILE_MADE, random);
    cuts.addAll(PowerCut.spread(made, last, CUTS_LATER, random));
    return cuts;
  }

  static Stream<Arguments> syncs() {
    return Stream.of(
        file("index"),
        file("manifest.json"),
        file("format.*"),
        file("node.*"),
        file("image\\d+"),
        file("\\d+"),
        file("[0-9a-f]{16}.data"),
        file("[0-9a-f]{16}"),
        directory("images", "\\d+"),
        directory("containers", ".*.data"),
        directory("checkpoints", "\\d{10}-.*"),
        directory("store", "staging"),
        directory("store", "format.*"),
        directory("store", "log"),
        names("log", true),
        names("log", false),
        directory("\\d{10}-.*", "images"),
        manifest(true),
        manifest(false));
  }

  private static Arguments file(final String name) {
    return Arguments.of(
        "of " + name,
        (BiPredicate<Path, Set<String>>)
            (path, step) ->
                !Files.isDirectory(path) && path.getFileName().toString().matches(name));
  }

  private static Arguments directory(final String name, final String changed) {
    return Arguments.of(
        "of the directory %s after a change of %s".formatted(name, changed),
        (BiPredicate<Path, Set<String>>)
            (path, step) ->
                Files.isDirectory(path)
                    && path.getFileName().toString().matches(name)
                    && String.join(" ", new TreeSet<>(step)).matches(changed));
  }

  /** Of a directory of which a name came or went. */
  private static Arguments names(final String name, final boolean came) {
    return Arguments.of(
        "of the directory %s after a name %s".formatted(name, came ? "came" : "went"),
        (BiPredicate<Path, Set<String>>)
            (path, step) ->
                path.endsWith(name)
                    && step.stream().allMatch(each -> came == Files.exists(path.resolve(each))));
  }

  /** Of a checkpoint whose manifest came or went, both by a rename. */
  private static Arguments manifest(final boolean came) {
    return Arguments.of(
        "of a checkpoint's directory after its manifest " + (came ? "came" : "went"),
        (BiPredicate<Path, Set<String>>)
            (path, step) ->
                step.equals(Set.of("manifest.json", "manifest.tmp"))
                    && came == Files.exists(path.resolve("manifest.json")));
  }

  /** A store that saw several sessions, some of them killed. */
  private static StoreLife lives(final LoggedDisk disk, final Random random) throws IOException {
    final StoreLife life = new StoreLife(disk, random);
    for (int session = 0; session < 4; session++) {
      final int changes = random.nextBoolean() ? CREATION : MOST_CHANGES;
      life.live(1 + random.nextInt(4), random.nextInt(changes));
    }
    return life;
  }

  private List<String> faults(final StoreLife life, final PowerCut power, final int cut)
      throws IOException {
    final Path left = fresh();
    power.leave(left);
    final List<String> faults = life.faults(left.resolve("store"), cut);
    Disk.REAL.deleteAll(left);
    return faults;
  }

  private Path fresh() throws IOException {
    return Files.createDirectory(directory.resolve(Integer.toString(count++)));
  }
}
