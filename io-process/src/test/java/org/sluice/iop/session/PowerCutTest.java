package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.agrona.IoUtil;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.sluice.client.CheckpointClient;
import org.sluice.core.segment.Layout;
import org.sluice.core.segment.ProcessIdentity;
import org.sluice.core.store.node.InMemory;
import org.sluice.core.store.node.LoggedDisk;
import org.sluice.core.store.node.PowerCut;
import org.sluice.core.store.node.Remains;

/**
 * Whenever the power fails under the I/O process's own stages, every checkpoint of which a client
 * was told is there, and the next session starts, cleans up and commits behind it.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Isolated("Processes that others start have the locks of this JVM, until they execute.")
class PowerCutTest {
  private static final int CHAINS = Integer.getInteger("sluice.effort", 1);
  private static final int SESSIONS = 3;
  private static final int CUTS = 48;

  @TempDir(factory = InMemory.class)
  private Path directory;

  /** The same one each time, but for {@code scripts/soaks/fuzz}, which looks for new cuts. */
  private final long seed = Long.getLong("sluice.seed", 1);

  private int count;

  @ParameterizedTest
  @EnumSource(Layout.class)
  void whatAClientWasToldOfIsThereWhateverReachedTheDisk(final Layout layout) throws Exception {
    for (int chain = 0; chain < CHAINS; chain++) {
      assertThat(faults(layout, new Random(seed + chain)))
          .as("-Dsluice.seed=%d", seed + chain)
          .isEmpty();
    }
  }

  /** A few sessions, each on what a power cut left of the one before; many cuts of each. */
  private List<String> faults(final Layout layout, final Random random) throws Exception {
    final List<String> faults = new ArrayList<>();
    History history = new History();
    Path state = fresh();
    for (int session = 0; session < SESSIONS; session++) {
      final LoggedDisk disk = new LoggedDisk(state);
      final int begin = disk.position();
      run(disk, history, layout, random);
      History left = history;
      final List<Integer> cuts = PowerCut.spread(begin, disk.position(), CUTS, random);
      for (final int cut : cuts) {
        state = fresh();
        new PowerCut(disk, cut, random).leave(state);
        final Remains remains = new Remains(state.resolve("store"));
        left = history.compare(remains, cut);
        if (cut != cuts.getLast()) {
          remains.cleanUp(); // of the last state the next session does
          IoUtil.delete(state.toFile(), false);
        }
        faults.addAll(remains.faults());
      }
      history = left;
    }
    return faults;
  }

  private void run(
      final LoggedDisk disk, final History history, final Layout layout, final Random random)
      throws Exception {
    disk.linkFiles(random.nextInt(4) != 0);
    final Path runtime = directory.resolve("run" + count++);
    try (LoggedIoProcess process = new LoggedIoProcess(disk, runtime, random.nextLong(), layout);
        CheckpointClient zero = CheckpointClient.connect(process.directory(), 0, 2);
        CheckpointClient one = CheckpointClient.connect(process.directory(), 1, 2);
        RawProcess other =
            RawProcess.attach(process.directory(), ProcessIdentity.current(), 0, 1)) {
      for (int i = 0; i <= random.nextInt(6); i++) {
        if (layout == Layout.CONTAINER && random.nextInt(3) == 0) {
          history.capture(disk, other, process.capture(), random);
        } else {
          history.write(disk, List.of(zero, one), random);
        }
      }
    }
  }

  private Path fresh() throws IOException {
    return Files.createDirectory(directory.resolve(Integer.toString(count++)));
  }
}
