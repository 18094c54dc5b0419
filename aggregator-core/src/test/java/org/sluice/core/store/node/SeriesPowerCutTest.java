package org.sluice.core.store.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.store.disk.Disk;
import org.sluice.core.store.model.RankSet;
import org.sluice.core.store.objects.DirectoryEngine;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.objects.ForwardingEngine;
import org.sluice.core.store.series.PartKey;
import org.sluice.core.store.series.PartsCheck;
import org.sluice.core.store.series.SeriesRun;

/**
 * A node has linked an entry of the log and fails before it has synchronised the folder. Another
 * one reads the entry, and the power fails.
 */
class SeriesPowerCutTest {
  private static final int CUTS = 50;

  @TempDir(factory = InMemory.class)
  private Path directory;

  private LoggedDisk disk;
  private int count;

  @BeforeEach
  void begin() throws IOException {
    disk = new LoggedDisk(Files.createDirectory(directory.resolve("series")));
  }

  private Engine engine() {
    return new DirectoryEngine(disk.directory(), disk);
  }

  @Test
  void whatAnotherNodeCommittedIsThereOnceItIsTold() throws IOException {
    final SeriesRun told = SeriesRun.join(engine(), "run", "b18");
    final SeriesRun failing = SeriesRun.join(new FailingEngine(engine()), "run", "b17");
    final PartKey part = failing.part(1, 0, 0, RankSet.of(IntStream.of(0)));
    failing.put(part, List.of(ByteBuffer.wrap(new byte[10])));
    assertThatThrownBy(() -> failing.commit(part, failing.parts(part), 1, PartsCheck.NONE))
        .hasMessage("it fails");
    assertThat(told.isCommitted(part, 1)).isTrue();
    assertIsThere("log/0000000002");
  }

  @Test
  void whatAnotherNodeBeganIsThereOnceANodeTakesPart() throws IOException {
    assertThatThrownBy(() -> SeriesRun.join(new FailingEngine(engine()), "run", "b17"))
        .hasMessage("it fails");
    SeriesRun.join(engine(), "run", "b18");
    assertIsThere("log/0000000001");
  }

  private void assertIsThere(final String key) throws IOException {
    for (int seed = 0; seed < CUTS; seed++) {
      final Path left = directory.resolve("left" + ++count);
      new PowerCut(disk, disk.position(), new Random(seed)).leave(left);
      assertThat(left.resolve(key)).as("seed " + seed).exists();
    }
  }

  /** Links entries, and fails then. */
  private final class FailingEngine extends ForwardingEngine {
    FailingEngine(final Engine engine) {
      super(engine);
    }

    @Override
    public boolean putIfAbsent(final String key, final byte[] bytes) throws IOException {
      final Path name = disk.directory().resolve(key);
      disk.createDirectory(name.getParent());
      disk.syncDirectory(disk.directory(), null);
      final Path draft = name.resolveSibling(".draft-0");
      try (NativeFile file = disk.open(draft, Flag.WRITE, Flag.CREATE, Flag.EXCLUSIVE)) {
        Disk.fill(file, bytes);
        disk.link(file, name);
      }
      throw new IOException("it fails");
    }
  }
}
