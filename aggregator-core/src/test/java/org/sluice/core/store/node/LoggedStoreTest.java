package org.sluice.core.store.node;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.sluice.core.store.model.Commit;

/** A store whose checkpoints are committed by records of a log. */
public abstract class LoggedStoreTest extends StoreTest {
  public LoggedDisk disk;

  @BeforeEach
  void makeDisk() throws IOException {
    disk = new LoggedDisk(fresh());
    path = disk.directory().resolve("store");
  }

  StoreFixture prepared() throws IOException {
    final StoreFixture fixture = new StoreFixture(path, disk.directory(), disk);
    fixture.store().prepareCommits();
    return fixture;
  }

  static Commit logged(final StoreFixture fixture, final long number) throws IOException {
    return fixture.logged("logged", 0, CONTENT).commit(number, 0);
  }

  /** Ends the process that writes, before it could end its log. */
  void kill(final StoreFixture fixture) throws IOException {
    disk.stopAt(disk.position());
    assertThatThrownBy(fixture::close).isInstanceOf(LoggedDisk.Stopped.class);
    disk.endProcess();
  }

  static void flip(final Path file, final long at, final int bit) throws IOException {
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      bytes.seek(at);
      final int before = bytes.read();
      bytes.seek(at);
      bytes.write(before ^ 1 << bit);
    }
  }
}
