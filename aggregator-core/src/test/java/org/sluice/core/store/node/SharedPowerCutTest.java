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

/**
 * Whenever the power fails on each of two nodes that share a directory, what the series' log has is
 * whole, what a node was told of is in it, and nothing of a fenced run shows.
 */
class SharedPowerCutTest extends CutLives {
  private static final int CUTS = 40;

  SharedPowerCutTest() {
    super(3 * EFFORT);
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

  @Override
  List<String> faults(final Random random, final BiPredicate<Path, Set<String>> leftOut)
      throws IOException {
    final SharedLife shared = new SharedLife(fresh(), random, leftOut);
    shared.live();
    final List<String> faults = new ArrayList<>();
    for (int cut = 0; cut < CUTS && faults.isEmpty(); cut++) {
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
}
