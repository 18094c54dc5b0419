package org.sluice.core.store.node;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;
import org.sluice.core.store.disk.Disk;

/** Whenever the power fails, an object that was stored is there, and none has other bytes. */
class EnginePowerCutTest extends CutLives {
  private static final int CUTS = 50;
  private static final String DRAFT = "\\.draft-[0-9a-f]{16}";

  EnginePowerCutTest() {
    super(6 * EFFORT);
  }

  static Stream<Arguments> syncs() {
    return Stream.of(
        sync("of an object", DRAFT, ""),
        sync("after a link", "log|[12]-[ab]", DRAFT),
        sync("of the root after the first folder", ".*", "log|part"),
        sync("of a folder after the first one below", "part", "[12]-[ab]"));
  }

  @Override
  List<String> faults(final Random random, final BiPredicate<Path, Set<String>> leftOut)
      throws IOException {
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
}
